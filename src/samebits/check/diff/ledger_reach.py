"""How far the ledgers of two runs can be compared: a run that ends too soon did not do the rest."""

from __future__ import annotations

from dataclasses import dataclass

from samebits.check.diff.operations import ends_early
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow


@dataclass(frozen=True, kw_only=True)
class LedgerReach:
    """Up to where two ledgers speak of the same part of a script.

    Attributes:
        known: False where a run was killed before its ledger was written.
        shorter: 0 or 1 for the run that ends too soon; None where both came as far.
        steps: Steps that it has taken.
        rows: Operations that it has recorded.
    """

    known: bool = True
    shorter: int | None = None
    steps: int = 0
    rows: int = 0

    def explains(self, pair: tuple[LedgerRow | None, LedgerRow | None]) -> bool:
        """Whether one run may have less of this only because it ends sooner.

        A ledger holds how often something was done in all, not when: where the shorter run did it
        less often, nothing is known.
        """
        if not self.known:
            return True
        if self.shorter is None:
            return False
        less, more = pair[self.shorter], pair[1 - self.shorter]
        if more is None:
            return False
        if less is None:
            return not self._covers(more)
        return (more.calls, more.amount) > (less.calls, less.amount)

    def _covers(self, row: LedgerRow) -> bool:
        """Whether the shorter run went on after the place at which something was done first."""
        if row.first_step != self.steps:
            return row.first_step < self.steps
        return row.first_row < self.rows


def ledger_reach(a: Trace, b: Trace) -> LedgerReach:
    """How far the ledgers of two runs can be compared.

    Raises:
        TraceError: A run folder is damaged.
    """
    runs = (a, b)
    if any(trace.cut and not trace.ledger() for trace in runs):
        return LedgerReach(known=False)
    ends = [(trace.count_steps(), trace.count_ops()) for trace in runs]
    early = [ends_early(trace) for trace in runs]
    for side in (0, 1):
        sooner = ends[side] < ends[1 - side] or (ends[0] == ends[1] and not early[1 - side])
        if early[side] and sooner:
            steps, rows = ends[side]
            return LedgerReach(shorter=side, steps=steps, rows=rows)
    return LedgerReach()
