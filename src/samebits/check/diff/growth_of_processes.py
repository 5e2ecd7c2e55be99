"""How far the state of each process of two runs drifts apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from samebits.check.diff.explanation import PartGrowth
from samebits.check.diff.process_groups import process_groups
from samebits.check.diff.process_names import name_in_group
from samebits.check.diff.state_growth import state_growth
from samebits.check.record.plan import KEPT_FOLDER
from samebits.check.trace.reader import Trace

MOST_PROCESSES = 16
"""Processes whose state is compared at most."""


def growth_of_processes(a: Trace, b: Trace) -> Iterator[PartGrowth]:
    """The growth of each part of the state: of the script's own process, then of the others.

    Args:
        a: Run A, which kept its state after some steps.
        b: Run B, which kept its state after the same steps.

    Raises:
        TraceError: A file cannot be read.
    """
    yield from state_growth(a.folder / KEPT_FOLDER, b.folder / KEPT_FOLDER)
    for name, one, other in list(_processes(a, b))[:MOST_PROCESSES]:
        for part in state_growth(one / KEPT_FOLDER, other / KEPT_FOLDER):
            yield replace(part, process=name)


def _processes(a: Trace, b: Trace) -> Iterator[tuple[str, Path, Path]]:
    """The processes that both runs have recorded: what each is called, and its folders."""
    for group in process_groups(a, lines=True).values():
        for process in group:
            one, other = a.process(process["name"]), b.process(process["name"])
            if process["kind"] != "thread" and one is not None and other is not None:
                yield name_in_group(process, group), one.folder, other.folder
