"""Random numbers of processes that share their work, where pace decides which task gets which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from samebits.check.diff.handed_generators import line_of, lines_of_handed_generators
from samebits.check.diff.ledger_pairs import is_internal
from samebits.check.trace.reader import Site, Trace

_GENERATORS = frozenset({"python", "numpy", "numpy-generator", "torch-cpu", "torch-generator"})
_GLOBAL = "torch-cpu"
_SEEDING = frozenset({"seed", "construct"})


def draws_by_pace(processes: Sequence[Trace], *, on_threads: bool = False) -> bool:
    """Whether tasks draw from a generator that is not seeded for each of them.

    All processes together may then draw the same numbers in every run, and give them to other
    tasks. A generator that is seeded more often than there are processes is taken to be seeded for
    each task.

    Args:
        processes: What the processes of one line have recorded in one run.
        on_threads: Whether they are threads. They have the ledger of their process: what counts is
            drawn in functions in which they compute.

    Raises:
        TraceError: A ledger is damaged.
    """
    draws: Counter[str] = Counter()
    seeds: Counter[str] = Counter()
    functions = {_function(site) for trace in processes for site in trace.sites()}
    for process in processes[:1] if on_threads else processes:
        rows = [
            row
            for row in process.ledger()
            if not row.process and row.source in _GENERATORS and not is_internal(row)
        ]
        handed = lines_of_handed_generators(processes) if on_threads else frozenset()
        for row in rows:
            if on_threads and row.event == "draw" and _function(row.site) not in functions:
                continue
            if row.source == _GLOBAL and line_of(row) in handed:
                continue
            if row.event == "draw":
                draws[row.source] += row.calls
            elif row.event in _SEEDING:
                seeds[row.source] += row.calls
    return any(seeds[source] <= len(processes) for source in draws)


def _function(site: Site | None) -> tuple[str, str] | None:
    """File and plain name of a site's function: a ledger has the qualified name."""
    return None if site is None else (site.file, site.function.rpartition(".")[2])
