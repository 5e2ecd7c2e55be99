"""The guide to data: its examples run, and its command prints what it shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "data.md"


def test_every_block_runs(run_blocks: Callable[[Path], str]) -> None:
    printed = run_blocks(PAGE).splitlines()
    assert printed[0].startswith("{'schema': 'samebits.loader/1', 'seed': 0,")
    assert printed[1].startswith("The loader sets dataset.rng (numpy.Generator) for each sample")


def test_the_command_prints_what_the_page_shows(check_commands: Callable[[Path], None]) -> None:
    check_commands(PAGE)
