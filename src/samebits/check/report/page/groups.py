"""Which of several runs agree with which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samebits.check.diff.divergence import compare_traces
from samebits.check.diff.verdict import Divergence, Verdict
from samebits.check.report.source import place_text, short_path
from samebits.check.trace.reader import Trace


@dataclass(frozen=True, kw_only=True)
class RunGroups:
    """Runs sorted by what they agree with; every text is ready to print.

    Attributes:
        names: What to call each run.
        group: The number of its group, from 0, of each run.
        between: Where the first run of each group but the first diverges from the first of all.
    """

    names: tuple[str, ...]
    group: tuple[int, ...]
    between: tuple[str, ...]

    @property
    def first_pair(self) -> tuple[int, int]:
        """The first run, and the first that does not agree with it; else the second."""
        other = next((n for n, group in enumerate(self.group) if group), 1)
        return 0, other

    @property
    def count(self) -> int:
        """How many groups there are."""
        return max(self.group, default=-1) + 1


def grouped(traces: Sequence[Trace]) -> RunGroups:
    """Compare each run with the first of every group that there is so far.

    Agreement of bits is transitive: a run that agrees with the first of a group agrees with all of
    it, as far as they were recorded alike.

    Args:
        traces: The runs, at least two.

    Raises:
        TraceError: A trace is damaged.
    """
    leaders: list[int] = []
    between: list[str] = []
    group = [0] * len(traces)
    # Those that were cut come last: one that agrees as far as it goes must not join two others.
    for number in sorted(range(len(traces)), key=lambda n: traces[n].cut):
        trace = traces[number]
        own: int | None = None
        first: Verdict | None = None
        for place, leader in enumerate(leaders):
            verdict = compare_traces(traces[leader], trace)
            if verdict.verdict != "different":
                own = place
                break
            first = first or verdict
        if own is None:
            own = len(leaders)
            leaders.append(number)
            if first is not None and first.first_divergence is not None:
                between.append(_where(first.first_divergence))
        group[number] = own
    names = tuple(short_path(trace.place) for trace in traces)
    return RunGroups(names=names, group=tuple(group), between=tuple(between))


def _where(found: Divergence) -> str:
    place = ""
    if found.file and found.line is not None:
        place = f" at {place_text(found.file, found.line)}"
    return f"{found.op} in step {found.step}{place}"
