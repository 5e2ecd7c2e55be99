"""Whose code a file is, with links among its folders and without."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest

from samebits.check.record.sources import LIBRARY, PASSED_OVER, USER, SourceClassifier


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A folder that counts as one of installed packages."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    paths = {**sysconfig.get_paths(), "purelib": str(folder)}
    monkeypatch.setattr(sysconfig, "get_paths", lambda *args: paths)
    return folder


def kind(file):
    return SourceClassifier()(str(file), "function")


def test_a_package_whose_files_are_links_into_a_cache_is_installed(installed, tmp_path):
    cached = tmp_path / "cache" / "module.py"
    cached.parent.mkdir()
    cached.write_text("")
    (installed / "module.py").symlink_to(cached)
    assert kind(installed / "module.py") == LIBRARY


def test_a_package_whose_folder_is_a_link_to_sources_is_the_users(installed, tmp_path):
    sources = tmp_path / "project" / "package"
    sources.mkdir(parents=True)
    (installed / "package").symlink_to(sources)
    assert kind(installed / "package" / "module.py") == USER
    assert SourceClassifier().is_user(str(installed / "package" / "module.py"))


def test_installed_code_that_is_reached_by_a_link_is_installed(installed, tmp_path):
    (tmp_path / "lib").symlink_to(installed)
    assert kind(tmp_path / "lib" / "module.py") == LIBRARY
    assert not SourceClassifier().is_user(str(tmp_path / "lib" / "module.py"))


def test_a_relative_name_is_one_of_the_folder_of_the_moment(installed, tmp_path, monkeypatch):
    classify = SourceClassifier()
    monkeypatch.chdir(installed)
    assert classify.is_user("module.py") is False
    monkeypatch.chdir(tmp_path)
    assert classify.is_user("module.py") is True


def test_what_m_runs_is_the_users(installed, tmp_path):
    (tmp_path / "lib").symlink_to(installed)
    classify = SourceClassifier(also_user=(str(Path(tmp_path, "lib", "package")),))
    assert classify.is_user(str(installed / "package" / "part" / "module.py")) is True
    assert classify.is_user(str(installed / "package2" / "module.py")) is False


@pytest.fixture
def target(tmp_path, monkeypatch):
    """A folder on `sys.path` into which packages were installed, as `pip --target` does."""
    folder = tmp_path / "target"
    (folder / "package-1.0.dist-info").mkdir(parents=True)
    monkeypatch.syspath_prepend(str(folder))
    return folder


def test_what_was_installed_into_a_folder_of_the_search_path_is_installed(target):
    assert kind(target / "package" / "module.py") == LIBRARY


def test_a_folder_that_joins_the_search_path_later_counts_from_then_on(tmp_path, monkeypatch):
    (tmp_path / "package-1.0.dist-info").mkdir()
    classify = SourceClassifier()
    assert classify.is_user(str(tmp_path / "before.py")) is True
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    assert classify.is_user(str(tmp_path / "after.py")) is False


def test_site_packages_of_another_environment_are_installed(tmp_path, monkeypatch):
    folder = tmp_path / "env" / "lib" / "python3" / "site-packages"
    folder.mkdir(parents=True)
    monkeypatch.syspath_prepend(str(folder))
    assert kind(folder / "module.py") == LIBRARY


def test_a_folder_of_sources_on_the_search_path_is_the_users(tmp_path, monkeypatch):
    (tmp_path / "project.egg-info").mkdir()  # as an editable install leaves it beside the sources
    monkeypatch.syspath_prepend(str(tmp_path))
    assert kind(tmp_path / "project" / "module.py") == USER


@pytest.mark.parametrize("where", ["directory", "script"])
def test_packages_beside_the_program_do_not_make_it_installed(target, monkeypatch, where):
    if where == "directory":
        monkeypatch.chdir(target)
    else:
        (target / "train.py").write_text("")
        monkeypatch.setattr(sys, "argv", [str(target / "train.py")])
    assert kind(target / "train.py") == USER


def test_methods_that_were_written_by_a_program_are_no_line_of_the_users(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["train.py"])
    assert kind("<string>") == LIBRARY
    monkeypatch.setattr(sys, "argv", ["-c"])
    assert kind("<string>") == USER


def test_what_timeit_writes_is_no_line_of_the_users():
    assert kind("<timeit-src>") == LIBRARY


def test_wrappers_of_decorators_are_passed_over():
    import torch

    folder = Path(torch.__file__).parent
    assert kind(folder / "_compile.py") == PASSED_OVER
    assert kind(folder / "utils" / "_contextlib.py") == PASSED_OVER
    assert kind(folder / "random.py") == LIBRARY
