from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from samebits.errors import SamebitsError
from samebits.lint import runner
from samebits.lint.discovery import find_files
from samebits.lint.flake8 import Plugin
from samebits.lint.runner import lint_files

CODE = "import os\nx = os.listdir('.')[0]\n"


@pytest.fixture
def many(tmp_path):
    for number in range(60):
        (tmp_path / f"f{number:02}.py").write_text(CODE)
    return find_files([tmp_path])


def test_workers_change_nothing_but_the_time(many):
    told = []
    parallel = lint_files(many, jobs=2, on_progress=lambda *numbers: told.append(numbers))
    assert parallel == lint_files(many, jobs=1)
    assert len(parallel.findings) == 60
    assert told == [(n, 60) for n in range(1, 61)]


def test_a_fault_of_a_rule_names_the_file(many, monkeypatch):
    def fail(*arguments):
        raise KeyError("x")

    monkeypatch.setattr(runner, "lint_file", fail)
    with pytest.raises(SamebitsError, match=r"failed on .*f00\.py: KeyError"):
        lint_files(many[:1], jobs=1)


def test_nothing_that_is_read_is_imported(tmp_path):
    (tmp_path / "train.py").write_text("import evil\nraise SystemExit('was run')\n")
    (tmp_path / "evil.py").write_text("raise SystemExit('was imported')\n")
    code = (
        "import sys; from pathlib import Path\n"
        "from samebits.lint.discovery import find_files\n"
        "from samebits.lint.runner import lint_files\n"
        f"lint_files(find_files([Path({str(tmp_path)!r})]), jobs=1)\n"
        "print(sorted({'torch', 'numpy', 'evil'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_flake8_plugin_reports_lines_and_columns(tmp_path):
    import ast

    path = tmp_path / "t.py"
    found = list(Plugin(ast.parse(CODE), str(path), CODE.splitlines(keepends=True)).run())
    assert [(line, column, text[:5]) for line, column, text, _ in found] == [(2, 4, "SB202")]


def test_the_flake8_plugin_looks_at_imported_files(tmp_path):
    import ast

    (tmp_path / "utils.py").write_text("import torch\ndef go():\n    torch.manual_seed(0)\n")
    text = "import torch\nfrom utils import go\ngo()\nprint(torch.rand(1))\n"
    lines = text.splitlines(keepends=True)
    assert list(Plugin(ast.parse(text), str(tmp_path / "t.py"), lines).run()) == []


@pytest.mark.slow
def test_five_thousand_installed_files_are_read_without_a_crash():
    import torch

    site_packages = Path(torch.__file__).parents[1]
    files = find_files([site_packages])[:5000]
    result = lint_files(files)
    assert result.files == len(files)
    # A checkout of these packages parses, apart from files written in order not to.
    broken = [finding for finding in result.findings if finding.code == "SB001"]
    assert len(broken) < 50
