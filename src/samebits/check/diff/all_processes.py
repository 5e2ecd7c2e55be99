"""Every process and thread of a run that was recorded, with what it is called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from samebits.check.diff.process_groups import process_groups
from samebits.check.diff.process_names import name_in_group
from samebits.check.trace.reader import Trace


def all_processes(trace: Trace, *, threads: bool = True) -> Iterator[tuple[str, Trace]]:
    """The script's own process, called "", and each one that it has started and that was recorded.

    Args:
        trace: A run.
        threads: Whether threads are among them.

    Raises:
        TraceError: The folder of one of them is damaged.
    """
    yield "", trace
    found = []
    for group in process_groups(trace, lines=True).values():
        for process in group:
            if process["kind"] != "thread" or threads:
                own = trace.process(process["name"])
                if own is not None:
                    found.append((name_in_group(process, group), own))
    names: Counter[str] = Counter()
    for name, own in sorted(found, key=lambda one: rank_first(one[0])):
        names[name] += 1  # a rank that was started anew, or a pool that is made again and again
        yield (f"{name} ({names[name]})" if names[name] > 1 else name), own


def rank_first(name: str) -> tuple[int, int]:
    """Orders names of processes: ranks first, by their numbers; others stay as they were."""
    word, _, number = name.partition(" ")
    return (0, int(number)) if word == "rank" and number.isdecimal() else (1, 0)
