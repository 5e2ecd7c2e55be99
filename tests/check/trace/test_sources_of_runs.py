"""A run folder from elsewhere gets no file read that is not its own."""

from __future__ import annotations

from hashlib import sha256

import pytest

from samebits.check.report.source import quote
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.sources_of_runs import only_sources_of
from samebits.core.source import statement
from samebits.core.source.files import read_source


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "train.py"
    path.write_bytes(b"import torch\nx = 1\n")
    return path


def vouching(path, content):
    return Manifest(code=[{"path": str(path), "sha256": sha256(content).hexdigest()}])


def test_a_file_is_read_while_it_is_what_ran(file):
    with only_sources_of([Manifest(), vouching(file, file.read_bytes())]):
        assert read_source(str(file)) == file.read_bytes()
        assert quote(str(file), 2) is not None
        file.write_bytes(b"import torch\nx = 2\n")
        assert read_source(str(file)) is None
    assert read_source(str(file)) is not None


def test_the_script_itself_counts_and_a_relative_path_too(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    digest = sha256(file.read_bytes()).hexdigest()
    with only_sources_of([Manifest(script={"path": str(file), "sha256": digest})]):
        assert read_source("train.py") is not None


@pytest.mark.parametrize(
    "manifest", [Manifest(), Manifest(code=[{"path": 1}]), Manifest(script={"sha256": "x"})]
)
def test_any_other_file_is_not(file, manifest):
    with only_sources_of([manifest]):
        assert read_source(str(file)) is None
        assert quote(str(file), 1) is None
        assert statement._parsed(str(file)) is None
    assert statement._parsed(str(file)) is not None


def test_of_two_runs_the_first_has_the_word(file):
    first, second = vouching(file, b"as it was"), vouching(file, file.read_bytes())
    with only_sources_of([first, second]):
        assert read_source(str(file)) is None
    with only_sources_of([second, first]):
        assert read_source(str(file)) is not None


def test_another_digest_is_not_enough(file):
    with only_sources_of([vouching(file, b"something else")]):
        assert read_source(str(file)) is None
