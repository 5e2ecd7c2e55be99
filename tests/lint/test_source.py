"""Files as they come: encodings, notebooks, and what is no source at all."""

from __future__ import annotations

import json
import os

import pytest

from samebits.lint.discovery import find_files
from samebits.lint.runner import lint_files
from samebits.lint.source import MAX_BYTES


def lint_path(path):
    return lint_files(find_files([path]), jobs=1).findings


def notebook(*cells):
    return json.dumps({"cells": [{"cell_type": kind, "source": source} for kind, source in cells]})


@pytest.mark.parametrize(
    ("content", "column"),
    [
        (b"import random\nx = random.random()\n", 5),
        (b"\xef\xbb\xbfimport random\nx = random.random()\n", 5),
        (b"import random\r\nx = random.random()\r\n", 5),
        (b"# coding: latin-1\nimport random;x='\xe9';random.random()\n", 21),
        ("import random\nx = 'é€𝄞'; random.random()\n".encode(), 12),
    ],
)
def test_columns_count_characters_in_any_encoding(tmp_path, content, column):
    (tmp_path / "t.py").write_bytes(content)
    (found,) = lint_path(tmp_path / "t.py")
    assert (found.code, found.line, found.column) == ("SB101", 2, column)


@pytest.mark.parametrize(
    "content",
    [
        b"x = '\xff'\n",
        b"# coding: nonsense\n",
        b"x = 1\0\n",
        b"def f(:\n",
        b"x = (" * 300,
        b"x = " + b"-" * 50_000 + b"1\n",
        b"x = 'unfinished\n",
        b"# coding: rot13\nk = 1\n",
    ],
)
def test_what_is_no_source_is_a_finding(tmp_path, content):
    (tmp_path / "t.py").write_bytes(content)
    (found,) = lint_path(tmp_path / "t.py")
    assert found.code == "SB001"


def test_a_long_sum_is_read_or_reported(tmp_path):
    (tmp_path / "t.py").write_text("x = " + " + ".join(["y"] * 20_000) + "\n")
    assert {f.code for f in lint_path(tmp_path / "t.py")} <= {"SB001"}


def test_a_very_long_line_is_not_read(tmp_path):
    (tmp_path / "t.py").write_text("x = [" + "1, " * (10 * 2**20 // 3) + "]\n")
    (found,) = lint_path(tmp_path / "t.py")
    assert found.code == "SB001"
    assert "10.0 MiB" in found.message


def test_a_long_line_is_quoted_in_part(tmp_path):
    text = "import os; x = [" + "1, " * 5000 + "os.listdir('.')[0]]\n"
    assert len(text) < MAX_BYTES
    (tmp_path / "t.py").write_text(text)
    (found,) = lint_path(tmp_path / "t.py")
    assert len(found.quote) < 200
    assert found.quote[found.quote_column - 1 :].startswith("os.listdir")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "t.py")
    (found,) = lint_path(tmp_path / "t.py")
    assert "no regular file" in found.message


def test_a_notebook_is_one_program_with_cells(tmp_path):
    text = notebook(
        ("markdown", "# Title"),
        ("code", ["import random\n", "%matplotlib inline\n", "x = !ls"]),
        ("code", "%%bash\nls"),
        ("code", "%%time\nif True:\n    !ls\n    print(random.random())"),
    )
    (tmp_path / "n.ipynb").write_text(text)
    (found,) = lint_path(tmp_path / "n.ipynb")
    assert (found.code, found.cell, found.line, found.column) == ("SB101", 4, 4, 11)
    assert found.quote.strip() == "print(random.random())"
    assert not found.fixable


def test_a_broken_cell_does_not_hide_the_others(tmp_path):
    text = notebook(("code", "def f(:"), ("code", "import random\nrandom.random()"))
    (tmp_path / "n.ipynb").write_text(text)
    found = lint_path(tmp_path / "n.ipynb")
    assert [(f.code, f.cell, f.line) for f in found] == [("SB001", 1, 1), ("SB101", 2, 2)]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", "null", '{"cells": 1}', '{"cells": [1, {"cell_type": "code"}]}', "[" * 100_000],
)
def test_what_is_no_notebook_is_a_finding_at_most(tmp_path, text):
    (tmp_path / "n.ipynb").write_text(text)
    assert {f.code for f in lint_path(tmp_path / "n.ipynb")} <= {"SB001"}
