"""The page about `samebits lint` shows what the command prints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "lint.md"


def test_every_command_prints_what_the_page_shows(check_commands: Callable[[Path], None]) -> None:
    check_commands(PAGE)
