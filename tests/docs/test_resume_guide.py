"""The guide to resuming: its commands print what it shows, and its Python runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "resume.md"


@pytest.mark.slow
def test_every_command_prints_what_the_guide_shows(check_commands: Callable[[Path], None]) -> None:
    check_commands(PAGE)


def test_every_python_block_runs(run_blocks: Callable[[Path], str]) -> None:
    run_blocks(PAGE)
