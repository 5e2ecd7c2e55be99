"""Every Python block of the guide runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from samebits.training.control.switches import NAMES

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "control.md"
BLOCKS = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_guide_names_every_switch() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    assert [name for name in NAMES if f"`{name}`" not in text] == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a block is for Linux")
def test_every_block_runs(run_python: Callable[..., str]) -> None:
    assert len(BLOCKS) == 7
    # One interpreter for all of them, each with names of its own: importing torch is what costs.
    for_all = f"for code in {BLOCKS!r}:\n    exec(compile(code, 'block', 'exec'), {{}})"
    assert run_python(for_all)
