"""The README shows what the tool prints now, and its Python runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_every_command_prints_what_the_readme_shows(
    check_commands: Callable[[Path], None],
) -> None:
    check_commands(README)


def test_every_python_block_runs(run_blocks: Callable[[Path], str]) -> None:
    run_blocks(README)


def test_every_command_of_the_tool_is_in_the_table() -> None:
    from samebits.cli.app import app

    text = README.read_text(encoding="utf-8")
    names = [command.callback.__name__ for command in app.registered_commands if command.callback]
    assert names
    assert [name for name in names if f"`samebits {name} " not in text] == []


def test_every_public_name_is_in_the_readme() -> None:
    import samebits

    text = README.read_text(encoding="utf-8")
    assert [name for name in samebits.__all__ if f"samebits.{name}(" not in text] == []
