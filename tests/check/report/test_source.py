from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from samebits.check.report.source import quote, short_path
from samebits.core.source import files


def write(path, content):
    path.write_bytes(content)
    return str(path)


def test_a_line_is_quoted_between_its_neighbours(tmp_path):
    found = quote(write(tmp_path / "s.py", b"a = 1\nb = 2\nc = 3\nd = 4\n"), 2)
    assert found.line == 2
    assert found.lines == ((1, "a = 1"), (2, "b = 2"), (3, "c = 3"))


@pytest.mark.parametrize(("line", "numbers"), [(1, [1, 2]), (3, [2, 3])])
def test_the_first_and_the_last_line_have_one_neighbour(tmp_path, line, numbers):
    found = quote(write(tmp_path / "s.py", b"a\nb\nc\n"), line)
    assert [number for number, _ in found.lines] == numbers


def test_the_shared_margin_goes_and_the_relative_one_stays(tmp_path):
    found = quote(write(tmp_path / "s.py", b"        if x:\n\n\t\t    y()\n"), 2)
    assert [text for _, text in found.lines] == ["if x:", "", "    y()"]


def test_lines_are_counted_as_python_counts_them(tmp_path):
    # A form feed and U+2028 end a line for str.splitlines, but not for Python.
    file = write(tmp_path / "s.py", b"a\x0cb\r\n'\xe2\x80\xa8'\rc\n")
    assert quote(file, 3).lines[-1] == (3, "c")


@pytest.mark.parametrize(
    "content", [b"# coding: latin-1\n\xe9\n", b"# coding: hex\nok\n", b"# coding: idna\nok\n"]
)
def test_declared_encodings_are_obeyed_when_they_are_for_text(tmp_path, content):
    assert quote(write(tmp_path / "s.py", content), 2).lines[1][1] in ("é", "ok")


def test_bytes_that_are_no_text_become_escapes(tmp_path):
    assert quote(write(tmp_path / "s.py", b"x = '\xff\x1b'\n"), 1).lines[0][1] == r"x = '\xff\x1b'"


@pytest.mark.parametrize("line", [0, -1, 4, 10**9, None])
def test_a_line_that_is_not_there_is_not_quoted(tmp_path, line):
    assert quote(write(tmp_path / "s.py", b"a\nb\n\n"), line) is None


@pytest.mark.parametrize("file", [None, "", "missing.py", ".", "nul\0byte", "/dev/zero"])
def test_what_is_no_file_is_not_quoted(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert quote(file, 1) is None


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "s.py")
    assert quote(str(tmp_path / "s.py"), 1) is None


def test_a_file_too_large_for_source_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_BYTES", 3)
    assert quote(write(tmp_path / "s.py", b"a\nb\n"), 1) is None
    assert quote(write(tmp_path / "t.py", b"a\nb"), 1) is not None


def test_paths_are_short_below_the_current_directory_only(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert short_path(str(tmp_path / "src" / "a\x1b.py")) == str(Path("src") / r"a\x1b.py")
    assert short_path("/elsewhere/b.py") == "/elsewhere/b.py"
