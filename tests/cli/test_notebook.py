"""A notebook as a script: what runs, what is left out, what is refused, and where its lines are."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from samebits.check.report.source import place_text, quote
from samebits.cli.notebook import script_of, write_script
from samebits.cli.target import resolve_target
from samebits.errors import UsageError


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    """Writes a notebook of code cells, the first cell being one of text."""
    monkeypatch.chdir(tmp_path)

    def write(*cells, name="train.ipynb", **content):
        text = {"cell_type": "markdown", "source": ["# Title"]}
        code = [{"cell_type": "code", "source": c.splitlines(keepends=True)} for c in cells]
        path = tmp_path / name
        path.write_text(json.dumps({"cells": [text, *code], "nbformat": 4, **content}))
        return path

    return write


def output(path):
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True)
    return done.stdout


def test_the_cells_run_in_order_in_one_program(notebook):
    script, found = write_script(notebook("a = 1\n", "b = a + 1", "print(a, b)"))
    assert (found.cells, found.left_out) == (3, [])
    assert output(script) == "1 2\n"


def test_a_line_finds_back_to_its_cell(notebook):
    script, _ = write_script(notebook("a = 1", "\nb = 2\nc = 3", "d = 4"))
    line = script.read_text().split("\n").index("b = 2") + 1
    assert place_text(str(script), line) == "train.ipynb, cell 3, line 2"
    shown = quote(str(script), line)
    assert (shown.line, shown.lines) == (2, ((1, ""), (2, "b = 2"), (3, "c = 3")))
    first = quote(str(script), script.read_text().split("\n").index("d = 4") + 1)
    assert first.lines == ((1, "d = 4"),)


def test_a_script_that_is_none_of_a_notebook_keeps_its_lines(tmp_path):
    path = tmp_path / "odd.ipynb.py"
    path.write_text("# cell 1 of x\na = 1\n")
    assert place_text(str(path), 2) == f"{path}:2"


def test_what_only_shows_or_installs_is_left_out_and_told(notebook):
    found = script_of(
        notebook(
            "%matplotlib inline\nimport math\n!pip install a \\\n  b\nmath?\n%pip install c",
            "%%html\n<b>x</b>",
        )
    )
    told = ["%matplotlib (cell 2)", "!pip (cell 2)", "%pip (cell 2)", "%%html (cell 3)"]
    assert found.left_out == told


def test_what_plain_python_can_do_is_done(notebook, capfd):
    cells = (
        "%%time\nx = 1\n%time y = x + 1",
        "for i in range(2):\n    !echo once",
        "%cd sub\n%env NAME=value",
        "%%writefile made.py\nVALUE = 3\n",
        "%%bash\necho $HOME > home.txt",
        "import os, made\nprint(y, os.environ['NAME'], made.VALUE, os.path.exists('home.txt'))",
    )
    path = notebook(*cells)
    (path.parent / "sub").mkdir()
    (path.parent / "sub" / "made.py").write_text("VALUE = 0\n")
    script, _ = write_script(path)
    script.write_text(
        script.read_text().replace(
            "import os, made", "import os, sys; sys.path[0] = '.'; import made"
        )
    )
    assert output(script) == "once\nonce\n2 value 3 True\n"


def test_a_percent_sign_that_is_none_of_ipythons_stays(notebook):
    source = 'x = (7\n% 4)\ny = """\n!not a command\n%nor this"""\nprint(x, y)'
    script, _ = write_script(notebook(source, f"%matplotlib inline\n{source}"))
    assert output(script) == "3 \n!not a command\n%nor this\n" * 2


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("%timeit f()", "as often as a clock says"),
        ("files = !ls", "an object of IPython's"),
        ("!python other.py --seed {seed}", "values of Python's variables"),
        ("!cp a $target", "values of Python's variables"),
        ("%run other.py", "another script"),
        ("%unheard_of", "no counterpart"),
        ("%%R\nx <- 1", "no counterpart"),
        ("%%capture out\nprint(1)", "object of IPython's"),
    ],
)
def test_what_no_script_does_is_refused_with_its_place(notebook, line, words):
    with pytest.raises(UsageError, match=words) as caught:
        script_of(notebook("a = 1", line))
    assert "train.ipynb, cell 3, line 1" in caught.value.message
    assert "nbconvert --to script" in caught.value.hint


def test_a_syntax_error_is_told_by_its_cell(notebook):
    with pytest.raises(UsageError, match=r"train\.ipynb, cell 3, line 2 has a syntax error"):
        script_of(notebook("a = 1", "b = 2\nc = = 3"))
    with pytest.raises(UsageError, match="await") as caught:
        script_of(notebook("await f()"))
    assert "asyncio.run" in caught.value.hint


def test_a_future_import_stands_first(notebook):
    cells = (
        "a = 1",
        "from __future__ import annotations\ndef f(x: nothing): return x\nprint(f(a))",
    )
    script, _ = write_script(notebook(*cells))
    assert output(script) == "1\n"


def test_display_prints_unless_it_is_the_notebooks_own(notebook):
    script, _ = write_script(notebook("display(1)"))
    assert output(script) == "1\n"
    own = script_of(notebook("def display(x): pass\ndisplay(1)"))
    assert "display = print" not in own.text


def test_modules_beside_the_notebook_are_found(notebook, tmp_path):
    (tmp_path / "train.py").write_text("VALUE = 5\n")
    script, _ = write_script(notebook("import train\nprint(train.VALUE)"))
    assert output(script) == "5\n"


@pytest.mark.parametrize("content", ["null", "{}", "[1]", "not json", '{"worksheets": []}'])
def test_a_file_that_is_no_notebook_is_refused(tmp_path, content):
    path = tmp_path / "train.ipynb"
    path.write_text(content)
    with pytest.raises(UsageError, match="is no notebook"):
        script_of(path)


def test_a_notebook_of_another_language_or_without_code_is_refused(notebook):
    with pytest.raises(UsageError, match="of julia, not of Python"):
        script_of(notebook("x = 1", metadata={"kernelspec": {"language": "julia"}}))
    with pytest.raises(UsageError, match="no code cell"):
        script_of(notebook(""))


def test_commands_are_given_the_script_and_say_so(notebook, capsys):
    path = notebook("%matplotlib inline\nimport os", "print(1)")
    target = resolve_target("train.ipynb", ["--flag"], is_module=False)
    assert target.script == write_script(path)[0]
    assert target.args == ("--flag",)
    told = capsys.readouterr().err
    assert "train.ipynb: its 2 code cells run in order, as the script runs/notebooks/train-" in told
    assert "left out" in told
    assert "%matplotlib (cell 2)" in told


def test_two_notebooks_of_one_name_have_a_script_each(notebook, tmp_path):
    first = notebook("a = 1")
    other = tmp_path / "other" / "train.ipynb"
    other.parent.mkdir()
    other.write_bytes(first.read_bytes())
    assert write_script(first)[0] != write_script(other)[0]
    assert write_script(first)[0] == write_script(first)[0]
