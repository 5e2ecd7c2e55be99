"""The folder that a person has named: whether it is that of a run, and what to name if not."""

from __future__ import annotations

from pathlib import Path

from samebits.check.trace.schema import MANIFEST_FILE
from samebits.core.names import printable
from samebits.errors import TraceError


def entries_of_run(path: Path) -> list[str]:
    """The names of what lies in a run folder, sorted.

    Args:
        path: The folder.

    Raises:
        TraceError: It is no folder, cannot be read, or is that of a check, which holds run folders.
    """
    shown = printable(str(path))
    try:
        if not path.is_dir():
            raise TraceError(
                f"{shown} is no folder",
                hint="Give the path of a run folder: a folder with a manifest.json.",
            )
        names = sorted(entry.name for entry in path.iterdir())
        inside = [] if MANIFEST_FILE in names else [n for n in names if _is_run(path / n)]
    except (OSError, ValueError) as error:
        raise TraceError(f"cannot read {shown}: {error}") from error
    if inside:
        raise TraceError(
            f"{shown} is the folder of {len(inside)} runs, not of one",
            hint=f"Give one of the runs in it, such as {printable(str(path / _first(inside)))}.",
        )
    return names


def _is_run(place: Path) -> bool:
    return (place / MANIFEST_FILE).is_file()


def _first(names: list[str]) -> str:
    """A run of the script as it is, before those that were made to explain it."""
    return min(names, key=lambda name: (not name.startswith("run-"), len(name), name))
