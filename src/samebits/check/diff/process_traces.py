"""In which traces the rows of a divergence stand: the script's own, or another process's."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Trace


def traces_of(found: Divergence, a: Trace, b: Trace) -> tuple[Trace, Trace]:
    """What the diverging process of two runs has recorded.

    Args:
        found: Where they diverge.
        a: Run A.
        b: Run B.

    Returns:
        The two runs themselves where their own processes diverge, or where the other process has
        recorded nothing in one of them.

    Raises:
        TraceError: A run folder is damaged.
    """
    if len(found.processes) != 2:
        return a, b
    one, other = (run.process(name) for run, name in zip((a, b), found.processes, strict=True))
    return (a, b) if one is None or other is None else (one, other)


def recorded_traces(run: Trace) -> Iterator[Trace]:
    """A run's own trace, then that of each of its processes that has recorded something.

    Raises:
        TraceError: A run folder is damaged.
    """
    names = (str(process["name"]) for process in run.manifest.processes)
    yield run
    yield from filter(None, map(run.process, names))
