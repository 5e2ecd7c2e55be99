"""Everything that a page shows, gathered from a verdict and the folders of its runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from samebits.check.diff.correspondence import base_name
from samebits.check.diff.explanation import DivergenceValues, PartGrowth
from samebits.check.diff.process_traces import traces_of
from samebits.check.diff.spread import spread
from samebits.check.diff.verdict import Cause, Divergence, RunSummary, Verdict
from samebits.check.report.model import Report, build_report
from samebits.check.report.page.drawn import NOTHING_DRAWN, Drawn, drawn
from samebits.check.report.page.groups import RunGroups, grouped
from samebits.check.report.page.lanes import Lane, lanes_of, numbers_json
from samebits.check.report.page.slice_picture import SlicePicture, slice_picture
from samebits.check.report.page.surroundings import FactRow, fact_rows
from samebits.check.report.page.way import Way, way_of
from samebits.check.report.printable import printable_name, printable_text
from samebits.check.report.source import place_text, quote
from samebits.check.report.values import named_curves
from samebits.check.trace.fetched_folders import folder_of
from samebits.check.trace.reader import Trace
from samebits.errors import TraceError

Read = TypeVar("Read")

AROUND = 6
"""Lines of source that are shown before and after the one to blame."""


@dataclass(frozen=True, kw_only=True)
class Listing:
    """Source around a line; every text is ready to print."""

    place: str
    line: int
    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True, kw_only=True)
class PageContent:
    """What a page shows, in this order.

    Attributes:
        report: What the panel in a terminal shows, too.
        command: The command that was run, "" where it is not known.
        created: When the first run began, UTC, "" where it is not known.
        failed_with: The exception that ended a script which failed: "RuntimeError: boom".
        failure_place: Where it was raised, "" where no line is known.
        failure_listing: Source around that line.
        listing: Source around the line of the first divergence.
        cause_listings: The same of each cause, None where it is shown already or not known.
        lanes: Processes that both runs have recorded.
        closer: The process of the first divergence in two runs that recorded its step operation by
            operation, None where `lanes` shows that.
        drawn: The ledgers of both runs.
        way: The lines that the difference went through in the step that it began in.
        facts: What is not the same around them.
        groups: Of more than two runs, which agree with which.
        missing: Why something is not shown, a sentence each.
        divergence: The first divergence.
        explanation: The values behind it, where they were asked for.
    """

    report: Report
    command: str = ""
    created: str = ""
    failed_with: str = ""
    failure_place: str = ""
    failure_listing: Listing | None = None
    listing: Listing | None = None
    cause_listings: tuple[Listing | None, ...] = ()
    lanes: tuple[Lane, ...] = ()
    closer: Lane | None = None
    drawn: Drawn = NOTHING_DRAWN
    facts: tuple[FactRow, ...] = ()
    way: Way | None = None
    groups: RunGroups | None = None
    missing: tuple[str, ...] = ()
    divergence: Divergence | None = None
    explanation: DivergenceValues | None = None

    @property
    def state(self) -> tuple[PartGrowth, ...]:
        """How far parameters, gradients and optimizer lie apart, where that was asked for."""
        return () if self.explanation is None else self.explanation.growth

    @property
    def slice(self) -> SlicePicture | None:
        """How the difference went to the loss, tensor by tensor, where that was asked for."""
        values = self.report.values
        return None if values is None or values.way is None else slice_picture(values.way)

    def data(self) -> dict[str, Any]:
        """What the page's script draws."""
        lanes = [lane.to_json() for lane in self.lanes]
        if self.closer is not None:
            lanes.append({**self.closer.to_json(), "closer": True})
        groups = None
        if self.groups is not None:
            groups = {"names": list(self.groups.names), "group": list(self.groups.group)}
        values = self.report.values
        return {
            "lanes": lanes,
            "groups": groups,
            "tensors": [] if values is None else [tensor.map for tensor in values.tensors],
            "measured": self._measured(),
            "state": [
                {
                    "part": one.part,
                    "name": name,
                    "processes": processes,
                    "steps": one.steps,
                    "relative": numbers_json(one.relative),
                    "ulp": one.max_ulp,
                }
                for name, processes, one in named_curves(self.state)
            ],
        }

    def _measured(self) -> dict[str, Any] | None:
        """The operations whose values are known: their lane, their cells and how far apart."""
        found, values = self.divergence, self.explanation
        if found is None or values is None or found.rows[0] is None or not self.lanes:
            return None
        known = {row: (ulp, relative) for row, ulp, relative in values.distances}
        sizes = [one for one in values.tensors if one.max_relative is not None]
        if sizes:
            known[found.rows[0]] = (
                max(one.max_ulp or 0 for one in sizes),
                max(one.max_relative or 0.0 for one in sizes),
            )
        process = found.processes[0] if found.processes else "0"
        at = {lane.process: number for number, lane in enumerate(self.lanes)}.get(process)
        number = len(self.lanes) if self.closer is not None else at
        lane = self.closer or (None if at is None else self.lanes[at])
        if lane is None or lane.operations is None:
            return None
        cells = [
            [*cell, known[row][0], float(f"{known[row][1]:.3g}")]
            for cell, (row, _) in lane.operations.differing.items()
            if row in known
        ]
        return {"lane": number, "cells": cells} if cells else None


def page_content(
    verdict: Verdict,
    *,
    beside: Path | None = None,
    groups: RunGroups | None = None,
) -> PageContent:
    """Gather what a page shows.

    Args:
        verdict: What a comparison came to.
        beside: The folder that the verdict file lies in: run folders with relative paths are looked
            for there, too.
        groups: Of more than two runs, which agree with which.

    Returns:
        The content; where a run folder is gone or damaged, `missing` says so, and the verdict is
        all that is shown of it.
    """
    missing: list[str] = []
    runs = [_opened(run.folder, beside, missing) for run in _pair(verdict)]
    first, second = (*runs, None, None)[:2]
    found = verdict.first_divergence
    shown: dict[str, Any] = {}
    if first is not None:
        shown["command"] = printable_text(" ".join(first.manifest.command))
        shown["created"] = printable_name(first.manifest.created, 40)
        shown["drawn"] = _tried(lambda: _drawn(verdict, first, second), missing) or NOTHING_DRAWN
    if first is not None and second is not None:
        lanes = shown["lanes"] = _tried(lambda: tuple(lanes_of(first, second)), missing) or ()
        shown["facts"] = _tried(lambda: fact_rows(first, second), missing) or ()
        closer = _closer_traces(verdict, beside, missing)
        if closer is not None and found is not None:
            shown["closer"] = _closer(closer, found, missing)
        if found is not None:
            pair = closer or (first, second)
            shown["way"] = _tried(lambda: _way(found, pair, lanes), missing)
    if groups is None:
        groups = _groups(verdict, beside, missing)
    failure = verdict.failure
    if failure is not None:
        raised = f"{failure.error}: {failure.message}" if failure.message else failure.error
        shown["failed_with"] = printable_text(raised)
        shown["failure_listing"] = _listing(failure.file, failure.line)
        shown["failure_place"] = place_text(failure.file, failure.line) if failure.file else ""
    listing = None if found is None else _listing(found.file, found.line)
    seen = {None if found is None else (found.file, found.line)}
    causes = []
    for cause in verdict.causes:
        place = (cause.file, cause.line)
        causes.append(None if place in seen else _listing(*place))
        seen.add(place)
    return PageContent(
        report=build_report(verdict),
        listing=listing,
        cause_listings=tuple(causes),
        groups=groups,
        missing=tuple(missing),
        divergence=found,
        explanation=verdict.explanation,
        **shown,
    )


def _opened(folder: str, beside: Path | None, missing: list[str]) -> Trace | None:
    places = [folder_of(folder)]
    if beside is not None:  # a check's folder may have been moved as a whole
        places += [beside / folder, beside / Path(folder).name]
    there = next((place for place in places if place.is_dir()), places[0])
    if not there.is_dir():
        missing.append(
            f"The run folder {printable_name(folder, 300)} is gone: nothing of it is shown."
        )
        return None
    return _tried(lambda: Trace.open(there), missing)


def _tried(read: Callable[[], Read], missing: list[str]) -> Read | None:
    """What a function reads from a run folder, or None and a sentence that says why not."""
    try:
        return read()
    except TraceError as error:
        missing.append(f"{printable_text(error.message)}.")
        return None


def _pair(verdict: Verdict) -> list[RunSummary]:
    """Run A and run B of a verdict, as far as it has them."""
    return [verdict.runs[n] for n in verdict.compared if 0 <= n < len(verdict.runs)]


def _drawn(verdict: Verdict, a: Trace, b: Trace | None) -> Drawn:
    """The ledgers of the script's own processes, and of the process that diverges."""
    found = verdict.first_divergence
    named: list[Cause | Divergence] = [*verdict.causes, *([] if found is None else [found])]
    blamed = {(base_name(one.file), one.line) for one in named if one.file}
    processes: list[tuple[str, Trace, Trace | None]] = [("the script", a, b)]
    if found is not None and b is not None:
        one, other = traces_of(found, a, b)
        told = any(row.process for row in a.ledger())  # the script's ledger has theirs, too
        if one is not a and not told and not found.is_on_own_thread:
            processes.append((printable_name(found.process, 60), one, other))
    return drawn(processes, blamed)


def _closer_traces(
    verdict: Verdict, beside: Path | None, missing: list[str]
) -> tuple[Trace, Trace] | None:
    """The two runs that recorded the step of the first divergence operation by operation."""
    if len(verdict.closer) != 2:
        return None
    one, other = (_opened(folder, beside, missing) for folder in verdict.closer)
    return None if one is None or other is None else (one, other)


def _closer(pair: tuple[Trace, Trace], found: Divergence, missing: list[str]) -> Lane | None:
    if len(found.processes) == 2:
        one, other = (t.process(name) for t, name in zip(pair, found.processes, strict=True))
        if one is None or other is None:
            return None
        pair = one, other
    lane = next(iter(_tried(lambda: list(lanes_of(*pair)), missing) or ()), None)
    if lane is None:
        return None
    name = f"step {found.step}, recorded operation by operation"
    return replace(lane, name=name, steps=None, growth=None)


def _way(found: Divergence, pair: tuple[Trace, Trace], lanes: Sequence[Lane]) -> Way | None:
    """The lines that the difference went through; None where it went through one alone."""
    way = spread(found, *traces_of(found, *pair))
    if way is None or len(way.stretches) + way.left_out < 2:
        return None
    reached = None
    if len(lanes) == 1 and lanes[0].growth is not None:
        differs_from = lanes[0].growth.first
        reached = differs_from is not None and differs_from <= found.step
    return way_of(way, reached)


def _groups(verdict: Verdict, beside: Path | None, missing: list[str]) -> RunGroups | None:
    """Which runs of a check agree with which, where there are more than two that ended alike."""
    runs = verdict.runs
    if len(runs) < 3 or verdict.verdict == "failed" or any((r.exit_code or 0) < 0 for r in runs):
        return None
    gone: list[str] = []
    traces = [_opened(run.folder, beside, gone) for run in runs]
    known = [trace for trace in traces if trace is not None]
    if len(known) < len(runs):
        missing.append("Which runs agree with which is not known: folders of runs are gone.")
        return None
    return _tried(lambda: grouped(known), missing)


def _listing(file: str | None, line: int | None) -> Listing | None:
    found = quote(file, line, around=AROUND)
    if found is None or file is None:
        return None
    return Listing(place=place_text(file, line), line=found.line, lines=found.lines)
