"""Texts written to make a linter slow: the work grows with the text, not with its square."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from samebits.lint.discovery import find_files
from samebits.lint.engine import lint_source
from samebits.lint.registry import all_rules
from samebits.lint.runner import lint_files
from samebits.lint.source import Source

LINES = {
    "listings": "import os\n{}",
    "generators": "import torch\n{}",
    "seeds": "import torch\nfor epoch in range(3):\n{}",
    "variables": "import os\n{}",
    "silenced": "import os\n{}",
    "one-line": "import os; x = 'é'; {}",
}
REPEATED = {
    "listings": "names = os.listdir('.')\nnames.sort()\n",
    "generators": "g = torch.Generator()\n",
    "seeds": "    torch.manual_seed(0)\n",
    "variables": "n = os.listdir('.')\nprint(n[0])\n",
    "silenced": "x = os.listdir('.')[0]  # samebits: ignore[SB202] as it is\n",
    "one-line": "os.listdir('.')[0]; ",
}


def calls_made(path) -> int:
    """How many Python functions are called to lint one file: a measure that no load disturbs."""
    count = 0

    def tally(frame, event, argument):
        nonlocal count
        count += event == "call" or event == "c_call"

    files = find_files([path])
    lint_files(files, jobs=1)
    sys.setprofile(tally)
    try:
        lint_files(files, jobs=1)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("kind", LINES)
def test_the_work_is_linear_in_the_size(kind, tmp_path):
    path = tmp_path / "t.py"
    counts = []
    for number in (150, 600):
        path.write_text(LINES[kind].format(REPEATED[kind] * number), encoding="utf-8")
        counts.append(calls_made(path))
    assert counts[1] < 6 * counts[0]


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 90 + "1" + ")" * 90,
        "x = " + "[" * 80 + "]" * 80,
        "x = a" + ".b()" * 800,
        "x = a" + "[0]" * 800,
        "x = " + "not " * 800 + "y",
        "x = " + "lambda: " * 500 + "1",
        "if x:\n  y\n" + "elif x:\n  y\n" * 500,
    ],
    ids=["parentheses", "lists", "calls", "subscripts", "not", "lambda", "elif"],
)
def test_deep_nesting_is_read_or_reported(text, tmp_path):
    (tmp_path / "t.py").write_text(f"import os\n{text}\n")
    found = lint_files(find_files([tmp_path / "t.py"]), jobs=1).findings
    assert {f.code for f in found} <= {"SB001"}


def test_damaged_files_give_findings_and_nothing_else():
    rng = random.Random(0)
    texts = [rule.bad_source for rule in all_rules().values()]
    codes = frozenset(all_rules())
    for _ in range(500):
        text = list(rng.choice(texts))
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(text) + 1)
            other = rng.choice(texts)
            start = rng.randrange(len(other) + 1)
            text[at : at + rng.randint(0, 3)] = other[start : start + rng.randint(0, 30)]
            text.insert(at, rng.choice("()[]{}*.,:=\n\t 'é#@0\u2028\x0c"))
        source = Source(path="t.py", text="".join(text))
        for finding in lint_source(source, Path("/nowhere/t.py"), codes).findings:
            assert 1 <= finding.line <= len(source.lines)
            assert finding.column >= 1
