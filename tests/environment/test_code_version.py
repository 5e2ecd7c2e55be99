"""The commit and what is not committed; nothing that a repository names is run."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from samebits.environment.code_version import code_facts, file_facts
from samebits.errors import UsageError

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "somebody")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "somebody@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    folder = tmp_path / "repository"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "train.py").write_text("print(1)\n")
    git(folder, "init", "--quiet", "--initial-branch=trunk")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


def git(folder, *arguments):
    subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True)


def test_a_clean_repository_has_no_changes(repository):
    facts = code_facts(repository / "src", repository / "src" / "train.py")
    assert len(facts["commit"]) == 40
    assert facts["branch"] == "trunk"
    assert facts["changes"] == ""
    assert len(facts["script"]) == 64


def test_every_kind_of_change_is_noticed(repository):
    script = repository / "src" / "train.py"
    seen = {code_facts(repository / "src")["changes"]}
    script.write_text("print(2)\n")
    seen.add(code_facts(repository / "src")["changes"])
    (repository / "new.py").write_text("a")
    seen.add(code_facts(repository / "src")["changes"])
    (repository / "new.py").write_text("b")
    seen.add(code_facts(repository / "src")["changes"])
    git(repository, "add", ".")
    seen.add(code_facts(repository / "src")["changes"])
    assert len(seen) == 5


def test_no_program_that_the_repository_names_is_run(repository, tmp_path):
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    (repository / ".gitattributes").write_text("*.py diff=trap\n")
    for name in ("core.fsmonitor", "diff.external", "diff.trap.textconv", "diff.trap.command"):
        git(repository, "config", name, str(trap))
    (repository / "src" / "train.py").write_text("print(3)\n")
    assert code_facts(repository)["changes"]
    assert not (tmp_path / "sprung").exists()


def test_a_folder_outside_of_repositories_has_no_commit(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert code_facts(tmp_path) == {}


def test_a_file_that_is_none_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="is no file"):
        file_facts(tmp_path)
