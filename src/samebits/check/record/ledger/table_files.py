"""Where the processes of a run keep their ledgers while it lasts."""

from __future__ import annotations

from pathlib import Path

CHILD = "-"
"""Between the token of a process and the number of what it has forked."""


def table_file(workspace: Path, process: int | str) -> Path:
    """Where a process keeps its table: by the number of a forked one, the token of another."""
    return workspace / f"ledger.{process}"


def child_tables(workspace: Path, token: str) -> list[Path]:
    """The tables of what a recorded process has forked and that is not recorded by itself."""
    return [
        path
        for path in sorted(workspace.glob(f"ledger.{token}{CHILD}*"))
        if path.suffix != ".texts"
    ]
