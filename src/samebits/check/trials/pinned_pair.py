"""Two runs with the clock and the names of runs pinned, and what came of them."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass

from samebits.check.diff.divergence import first_divergence
from samebits.check.diff.verdict import Divergence
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.text_pins import TextPins

Agree = Callable[[Trace, Trace], bool]


def all_agrees(a: Trace, b: Trace) -> bool:
    """Whether two runs agree in all that was recorded."""
    return first_divergence(a, b) is None


class PinnedOutcome(enum.Enum):
    """What came of the runs with the clock and the names of runs pinned.

    Attributes:
        AGREES: All of it agrees but for times and names.
        DIFFERS: They diverge all the same.
        RESULT: What differed goes by the clock or by a name, and is no time and no name: then the
            runs without anything pinned are the ones to explain.
        ENDED: One of them ended otherwise than the script does by itself.
        SILENT: One of them did not say a line that differed.
    """

    AGREES = enum.auto()
    DIFFERS = enum.auto()
    RESULT = enum.auto()
    ENDED = enum.auto()
    SILENT = enum.auto()


@dataclass(frozen=True, kw_only=True)
class PinnedPair:
    """Two runs with the clock and the names of runs pinned.

    Attributes:
        runs: The runs.
        plan: How they were made.
        pinned: What was pinned, in words.
        coarse: Where their operations diverge; None where they agree.
        divergence: That, or what they print or write; None where all of it agrees.
        outcome: What came of them.
        made: How many such runs there are in all.
        pins: What was pinned.
        alike: Whether both runs were made in the same way.
        named: Whether they differ in names as well.
        faster: Two runs with faster clocks still, at `EVEN_RATES`, where they were made.
        agree: Whether what two runs with other clocks have recorded is the same.
    """

    runs: tuple[RunResult, RunResult]
    plan: RunPlan
    pinned: str
    coarse: Divergence | None = None
    divergence: Divergence | None = None
    outcome: PinnedOutcome = PinnedOutcome.AGREES
    made: int = 2
    pins: TextPins | None = None
    alike: bool = False
    named: bool = False
    faster: tuple[RunResult, ...] = ()
    agree: Agree = all_agrees

    @property
    def agrees(self) -> str:
        """What to say where all of it agrees."""
        runs = "two" if self.made == 2 else str(self.made)
        same = "the same" if self.alike else "the same but for times and names"
        return f"with {self.pinned} pinned, {runs} further runs printed and wrote {same}"
