"""Names of runs that a script draws without a seed: "amber-7345", "woad-1128-010341".

By its looks such a name may be a configuration that was chosen. So it counts as one only where the
texts of two runs differ in nothing else, nothing but a few whole numbers or choices was drawn
without a seed, and runs with just that pinned write the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from samebits.check.diff.correspondence import base_name
from samebits.check.diff.printed_output import lines_that_count
from samebits.check.diff.written_files import (
    NUMBERS_BESIDE,
    differ_by_run_names,
    hold_the_same,
    unread_differences,
    written_files,
)
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import Site
from samebits.check.trials.attribution.further_unseeded import drawn_unseeded
from samebits.core.catalog.measurements import (
    Span,
    numbers_of_run_names,
    without_run_names,
    without_stamped_names,
)

_MOST_DRAWS = 16
"""Whoever draws more draws no name."""
_NUMBERS = frozenset({"getrandbits", "integers", "randint", "randrange"})
"""A name holds such a number, or a date: a choice out of some names is a choice."""
_NAMING = frozenset(
    {"choice", "choices", "getrandbits", "integers", "randint", "randrange", "sample"}
)


@dataclass(frozen=True)
class DrawnName:
    """What a name of a run is made with.

    Attributes:
        sources: The generators, under the names of the ledger.
        place: The line that drew first.
    """

    sources: tuple[str, ...]
    place: Site

    def __str__(self) -> str:
        return f"what {base_name(self.place.file)}:{self.place.line} draws without a seed"


def drawn_name(first: Trace, second: Trace) -> DrawnName | None:
    """What two runs draw their names with; None where these are not all that their texts differ in.

    Raises:
        TraceError: A run folder is damaged.
    """
    drawn = [entry.row for entry in drawn_unseeded(first)]
    if not drawn or sum(row.calls for row in drawn) > _MOST_DRAWS:
        return None
    drawing = {row.detail.rpartition(".")[2] for row in drawn}
    if any(row.process for row in drawn) or not drawing <= _NAMING:
        return None
    stamped = not drawing & _NUMBERS
    place = next((row.site for row in drawn if row.site is not None), None)
    runs = _Named(first, stamped), _Named(second, stamped)
    if place is None or runs[0].printed() != runs[1].printed() or not _written(*runs):
        return None
    if any(_may_be_chosen(run) for run in runs):
        return None
    return DrawnName(tuple(sorted({row.source for row in drawn})), place)


@dataclass(frozen=True)
class _Named:
    """A run's text without what may be its name.

    Attributes:
        trace: The run.
        stamped: Whether only names with the date and the time at which it ran count as such.
    """

    trace: Trace
    stamped: bool

    @property
    def span(self) -> Span | None:
        """When it ran; None where nobody knows."""
        manifest = self.trace.manifest
        try:
            begun = datetime.fromisoformat(manifest.created.replace("Z", "+00:00")).timestamp()
        except ValueError:
            return None
        return Span(begun, begun + manifest.seconds)

    def without_names(self, line: str) -> str:
        """A line in its normal form, without such names."""
        return (without_stamped_names if self.stamped else without_run_names)(line, self.span)

    def printed(self) -> list[str]:
        """What it printed."""
        return [self.without_names(line) for line in lines_that_count(self.trace)]

    def files(self, kind: str) -> dict[str, list[Mapping[str, Any]]]:
        """The files of a kind by their paths, those in a folder that has the run's name too."""
        files: dict[str, list[Mapping[str, Any]]] = {}
        for path, versions in written_files(self.trace, kind).items():
            files.setdefault(self.without_names(path), []).extend(versions)
        return files


def _may_be_chosen(run: _Named) -> bool:
    """Whether a number in such a name stands in the script: one of a few settings."""
    lines = lines_that_count(run.trace)
    numbers = {n for line in lines for n in numbers_of_run_names(line, run.span)}
    if not numbers:
        return False
    written = "\n".join(map(_source, run.trace.manifest.code))
    literal = r"(?<![a-zA-Z0-9.]){}(?![\w.])"
    return any(re.search(literal.format(number), written) for number in numbers)


def _source(file: Mapping[str, Any]) -> str:
    try:
        return Path(str(file["path"])).read_text("utf-8", errors="replace")
    except OSError:
        return ""


def _written(first: _Named, second: _Named) -> bool:
    if unread_differences(first.trace, second.trace):
        return False  # nobody knows what is in them
    for kind in NUMBERS_BESIDE:
        of_first, of_second = first.files(kind), second.files(kind)
        for path in of_first.keys() & of_second.keys():
            pairs = zip(of_first[path], of_second[path], strict=False)
            if not all(
                hold_the_same(*pair) or differ_by_run_names(*pair, stamped=first.stamped)
                for pair in pairs
            ):
                return False
    return True
