"""Everything that a page shows, gathered from a verdict and the folders of its runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from samebits.check.diff.explanation import PartGrowth
from samebits.check.diff.verdict import Verdict
from samebits.check.report.model import Report, build_report
from samebits.check.report.page.groups import RunGroups
from samebits.check.report.page.lanes import Lane, lanes_of, numbers_json
from samebits.check.report.page.surroundings import DrawnRow, FactRow, drawn_rows, fact_rows
from samebits.check.report.printable import printable_name, printable_text
from samebits.check.report.source import place_text, quote
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
        listing: Source around the line of the first divergence.
        cause_listings: The same of each cause, None where it is shown already or not known.
        lanes: Processes that both runs have recorded.
        closer: The process of the first divergence in two runs that recorded its step operation by
            operation, None where `lanes` shows that.
        drawn: The ledgers of both runs.
        facts: What is not the same around them.
        groups: Of more than two runs, which agree with which.
        missing: Why something is not shown, a sentence each.
        state: How far parameters, gradients and optimizer lie apart, where that was asked for.
    """

    report: Report
    command: str = ""
    created: str = ""
    listing: Listing | None = None
    cause_listings: tuple[Listing | None, ...] = ()
    lanes: tuple[Lane, ...] = ()
    closer: Lane | None = None
    drawn: tuple[DrawnRow, ...] = ()
    facts: tuple[FactRow, ...] = ()
    groups: RunGroups | None = None
    missing: tuple[str, ...] = ()
    state: tuple[PartGrowth, ...] = ()

    def data(self) -> dict[str, Any]:
        """What the page's script draws."""
        lanes = [lane.to_json() for lane in self.lanes]
        if self.closer is not None:
            lanes.append(self.closer.to_json())
        groups = None
        if self.groups is not None:
            groups = {"names": list(self.groups.names), "group": list(self.groups.group)}
        values = self.report.values
        return {
            "lanes": lanes,
            "groups": groups,
            "tensors": [] if values is None else [tensor.map for tensor in values.tensors],
            "state": [
                {"part": one.part, "steps": one.steps, "relative": numbers_json(one.relative)}
                for one in self.state
            ],
        }


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
    chosen = [verdict.runs[n].folder for n in verdict.compared if 0 <= n < len(verdict.runs)]
    runs = [_opened(folder, beside, missing) for folder in chosen]
    first, second = (*runs, None, None)[:2]
    shown: dict[str, Any] = {}
    if first is not None:
        shown["command"] = printable_text(" ".join(first.manifest.command))
        shown["created"] = printable_name(first.manifest.created, 40)
        shown["drawn"] = _tried(lambda: drawn_rows(first, second), missing) or ()
    if first is not None and second is not None:
        shown["lanes"] = _tried(lambda: tuple(lanes_of(first, second)), missing) or ()
        shown["facts"] = _tried(lambda: fact_rows(first, second), missing) or ()
        shown["closer"] = _closer(verdict, beside, missing)
    found = verdict.first_divergence
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
        state=() if verdict.explanation is None else verdict.explanation.growth,
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


def _closer(verdict: Verdict, beside: Path | None, missing: list[str]) -> Lane | None:
    if len(verdict.closer) != 2:
        return None
    one, other = (_opened(folder, beside, missing) for folder in verdict.closer)
    found = verdict.first_divergence
    if one is None or other is None or found is None:
        return None
    if len(found.processes) == 2:
        one, other = one.process(found.processes[0]), other.process(found.processes[1])
        if one is None or other is None:
            return None
    lane = next(iter(_tried(lambda: list(lanes_of(one, other)), missing) or ()), None)
    if lane is None:
        return None
    name = f"step {found.step}, recorded operation by operation"
    return Lane(
        name=name, steps=None, operations=lane.operations, growth=None, details=lane.details
    )


def _listing(file: str | None, line: int | None) -> Listing | None:
    found = quote(file, line, around=AROUND)
    if found is None or file is None:
        return None
    return Listing(place=place_text(file, line), line=found.line, lines=found.lines)
