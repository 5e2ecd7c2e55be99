"""How far results lie apart where runs diverge, read off runs that are made for the cause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from samebits.check.diff.distance import Distance, output_distance
from samebits.check.diff.position import last_row
from samebits.check.diff.verdict import Divergence
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.scope import RunScope
from samebits.check.trials.closer import has_size


@dataclass
class SizeOfDifference:
    """Collects two results of the operation that diverges, of runs in which nothing is pinned.

    A pin may change the result itself: how far it then lies from another one says nothing of the
    two runs that the verdict is about.

    Attributes:
        found: The operation.
        scope: How far a run has to go to get there.
    """

    found: Divergence
    scope: RunScope
    _first: bytes | None = field(default=None, init=False)
    _other: bytes | None = field(default=None, init=False)

    def row_of(self, scope: RunScope) -> int | None:
        """The row whose outputs a run should capture that goes that far; None for none."""
        a, b = self.found.rows
        if self._other is not None or not has_size(self.found) or a != b:
            return None
        same_rows = scope.from_step == self.scope.from_step
        reached = scope.row is None or scope.row >= last_row(self.found)
        return last_row(self.found) if same_rows and reached else None

    def take(self, result: RunResult) -> None:
        """Keep what a run has captured, if it is of this operation."""
        if result.captured is None or self._other is not None or not self._is_of(result):
            return
        if self._first is None:
            self._first = result.captured
        elif result.captured != self._first:
            self._other = result.captured

    def take_repeated(self, results: Sequence[bytes]) -> None:
        """Keep what the operation gave when it was repeated on its inputs, where that differed."""
        if len(results) < 2 or not has_size(self.found):
            return
        distance = output_distance(results[0], results[1])
        if distance.max_abs or distance.max_ulp:
            self._first, self._other = results[0], results[1]

    @property
    def distance(self) -> Distance | None:
        """How far the two results lie apart; None where no two were met."""
        if self._first is None or self._other is None:
            return None
        return output_distance(self._first, self._other)

    def _is_of(self, result: RunResult) -> bool:
        """Another operation may have come to that row."""
        trace, number = Trace.open(result.folder), last_row(self.found)
        if number >= trace.count_ops():
            return False
        row = trace.row(number)
        line = None if row.site is None else row.site.line
        return (row.op, line) == (self.found.op, self.found.line)
