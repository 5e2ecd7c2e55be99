from __future__ import annotations

import json

import pytest

from samebits.lint.discovery import find_files
from samebits.lint.rewriting import fix_file
from samebits.lint.runner import lint_files


def fixed(path, *, write=True):
    files = find_files([path])
    findings = lint_files(files, jobs=1).findings
    return fix_file(files[0].path, "t.py", findings, write=write)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for f in os.listdir( 'é' ):  # why\n\tx.append( f )", "sorted(os.listdir( 'é' ))"),
        ("x = (os.listdir('.'))[0]", "x = (sorted(os.listdir('.')))[0]"),
        ("x = [n for n in {'b', 'a'}]\nprint(x[0])", "sorted({'b', 'a'})"),
        ("torch.backends.cudnn.benchmark=True # fast", "benchmark=False # fast"),
        ("torch.set_float32_matmul_precision('high')", 'precision("highest")'),
        (
            "torch.set_float32_matmul_precision(\n    precision = 'high' # é\n)",
            '(\n    precision = "highest" # é\n)',
        ),
        ("torch.utils.checkpoint.checkpoint(f, preserve_rng_state = False,)", "state = True,)"),
        ("x = f'é{os.listdir()[0]}'", "x = f'é{sorted(os.listdir())[0]}'"),
        ("x = f'''\n{1}\n é {os.listdir()[0]}'''", "\n é {sorted(os.listdir())[0]}'''"),
        ("list(os.listdir(glob.glob('*')[0]))[0]", "sorted(os.listdir(sorted(glob.glob('*'))[0]))"),
    ],
)
def test_only_the_place_changes(tmp_path, before, after):
    path = tmp_path / "t.py"
    text = f"import os, torch, torch.utils.checkpoint, glob\nx = []\n{before}\n"
    path.write_text(text, encoding="utf-8")
    diff = fixed(path)
    assert after in path.read_text(encoding="utf-8")
    assert diff.startswith("--- t.py\n+++ t.py\n")
    assert fixed(path) == ""


@pytest.mark.parametrize(
    "now",
    [
        "import os\ny = 'another line'; more = os.listdir('.')\n",
        "import os\nx = os.listdir('.')[0]\n)\n",
        "import os",
    ],
)
def test_a_file_that_has_changed_since_is_left_alone(tmp_path, now):
    path = tmp_path / "t.py"
    path.write_text("import os\nx = os.listdir('.')[0]\n")
    files = find_files([path])
    findings = lint_files(files, jobs=1).findings
    path.write_text(now)
    assert findings
    assert fix_file(files[0].path, "t.py", findings, write=True) == ""
    assert path.read_text() == now


@pytest.mark.parametrize(
    "lines",
    [
        "x.append(next(Path('.').iterdir()))",
        "files = Path('.').iterdir()\nx.append(next(files))\nx += files",
        "files = glob.iglob('*')\nx.append(next(files, None))\nx += files",
    ],
)
def test_a_listing_that_is_stepped_through_becomes_no_list(tmp_path, lines):
    path = tmp_path / "t.py"
    path.write_text(f"import glob\nfrom pathlib import Path\nx = []\n{lines}\nprint(x)\n")
    assert fixed(path) == ""


@pytest.mark.parametrize("line_end", ["\r\n", "\n"])
def test_line_ends_encoding_and_permissions_stay(tmp_path, line_end):
    path = tmp_path / "t.py"
    text = f"# coding: latin-1{line_end}import os{line_end}x = os.listdir('é')[0]{line_end}"
    path.write_bytes(text.encode("latin-1"))
    path.chmod(0o750)
    fixed(path)
    assert path.read_bytes() == text.replace("os.listdir('é')", "sorted(os.listdir('é'))").encode(
        "latin-1"
    )
    assert path.stat().st_mode & 0o777 == 0o750


def test_a_diff_writes_nothing(tmp_path):
    path = tmp_path / "t.py"
    path.write_text("import os\nx = os.listdir('.')[0]\n")
    assert "+x = sorted(os.listdir('.'))[0]" in fixed(path, write=False)
    assert "sorted" not in path.read_text()


def test_what_cannot_be_compared_is_not_sorted(tmp_path):
    path = tmp_path / "t.py"
    path.write_text("import os\nx = [e.name for e in os.scandir('.')]\nprint(x[0])\n")
    assert fixed(path) == ""


def notebook_text(*sources, indent=1, end="\n", ascii_only=False):
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Titel ä\n"]},
        *(
            {"cell_type": "code", "metadata": {}, "outputs": [], "source": source}
            for source in sources
        ),
    ]
    content = {"cells": cells, "metadata": {"x": 1.50}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=indent, ensure_ascii=ascii_only) + end


@pytest.mark.parametrize("form", [{}, {"indent": 2, "end": ""}, {"ascii_only": True}])
def test_a_notebooks_cell_is_rewritten_and_the_rest_keeps_its_bytes(tmp_path, form):
    path = tmp_path / "n.ipynb"
    magic = ["%matplotlib inline\n", "import os\n"]
    loop = "names = []\nfor n in os.listdir('ä'):  # why\n    names.append(n)"
    path.write_text(notebook_text(magic, loop, **form), encoding="utf-8")
    diff = fixed(path)
    expected = notebook_text(
        magic, loop.replace("os.listdir('ä')", "sorted(os.listdir('ä'))"), **form
    )
    assert path.read_text(encoding="utf-8") == expected
    assert "+for n in sorted(os.listdir('ä')):  # why" in diff
    assert fixed(path) == ""


def test_a_cell_kept_as_lines_stays_a_list_of_lines(tmp_path):
    path = tmp_path / "n.ipynb"
    lines = ["import torch\n", "torch.backends.cudnn.benchmark = True\n", "x = 1"]
    path.write_text(notebook_text(lines), encoding="utf-8")
    fixed(path)
    lines[1] = "torch.backends.cudnn.benchmark = False\n"
    assert path.read_text(encoding="utf-8") == notebook_text(lines)


def test_a_notebook_written_in_an_unknown_way_is_left_alone(tmp_path):
    path = tmp_path / "n.ipynb"
    text = notebook_text("import torch\ntorch.backends.cudnn.benchmark = True").replace(
        ": 4", ":  4"
    )
    path.write_text(text, encoding="utf-8")
    assert fixed(path) == ""
    assert path.read_text(encoding="utf-8") == text
