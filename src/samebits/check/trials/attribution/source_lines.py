"""Lines of a script's own source files, as a run has named these."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from samebits.check.trace.reader import Trace


def sources_of(run: Trace) -> list[str]:
    """The script's own source files, each once."""
    files = (run.manifest.script, *run.manifest.code)
    return list(dict.fromkeys(str(file.get("path")) for file in files))


def only_line(run: Trace, found_in: Callable[[str], Iterable[int]]) -> tuple[str, int] | None:
    """File and line of what is found once in all source files of a run.

    Args:
        run: The run.
        found_in: Gives the lines of a file.

    Returns:
        None where nothing is found, or where several lines are.
    """
    lines = [(file, line) for file in sources_of(run) for line in found_in(file)]
    return lines[0] if len(lines) == 1 else None
