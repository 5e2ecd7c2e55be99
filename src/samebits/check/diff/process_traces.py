"""In which traces the rows of a divergence stand: the script's own, or another process's."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.check.diff.verdict import Divergence
from samebits.check.trace.process_folders import owner_of
from samebits.check.trace.reader import Trace
from samebits.check.trace.values_format import MAIN_PROCESS


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


def diverging_process(found: Divergence) -> str:
    """What the process is called that diverges, or whose thread does; `MAIN_PROCESS` for the own.

    Args:
        found: Where two runs diverge.
    """
    return owner_of(found.processes[0]) if found.processes else MAIN_PROCESS


def recorded_traces(run: Trace) -> Iterator[Trace]:
    """A run's own trace, then that of each of its processes that has recorded something.

    Raises:
        TraceError: A run folder is damaged.
    """
    names = (str(process["name"]) for process in run.manifest.processes)
    yield run
    yield from filter(None, map(run.process, names))


def of_one_process(run: Trace, owner: str) -> Iterator[tuple[str, Trace]]:
    """Name and record of the main thread of a process, then those of its other threads.

    Args:
        run: The run.
        owner: The process, `MAIN_PROCESS` for the script's own.

    Raises:
        TraceError: A run folder is damaged.
    """
    main = run if owner == MAIN_PROCESS else run.process(owner)
    if main is not None:
        yield owner, main
    for thread in run.manifest.threads:
        name = str(thread["name"])
        trace = run.process(name) if owner_of(name) == owner else None
        if trace is not None:
            yield name, trace


def threads_of(run: Trace, owner: str) -> Iterator[Trace]:
    """What the threads of a process beside its main one have recorded; see `of_one_process`."""
    yield from (trace for name, trace in of_one_process(run, owner) if name != owner)
