"""Importing samebits costs next to nothing: what is heavy is loaded when a run needs it."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("torch", "numpy", "pyarrow", "rich", "typer")


def loaded_after(code: str) -> set[str]:
    """Which heavy packages a fresh interpreter has loaded after running `code`."""
    ask = f"{code}\nimport sys\nprint('LOADED', *({set(HEAVY)!r} & set(sys.modules)))"
    ended = subprocess.run(
        [sys.executable, "-c", ask], capture_output=True, text=True, check=True, timeout=120
    )
    return set(ended.stdout.splitlines()[-1].split()[1:])


def test_importing_samebits_imports_nothing_heavy():
    assert loaded_after("import samebits") == set()


def test_errors_and_verdicts_are_light_as_well():
    assert loaded_after("import samebits.errors, samebits.check.diff.verdict") == set()


def test_this_test_can_fail():
    assert loaded_after("import samebits, numpy") == {"numpy"}
