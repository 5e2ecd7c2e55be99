"""What every cause has in common."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import ClassVar

from samebits.check.causes.culprit import Culprit, GoesBy
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.causes.pin import Pin
from samebits.check.causes.variation import Variation
from samebits.core.source.statement import Statement


class KnownCause:
    """One reason why runs diverge: how it is pinned, varied, suspected, explained and mended.

    Attributes:
        code: As verdicts name it: "unseeded-rng".
        meaning: What the code stands for.
        look: Where to look, or what to write.
        look_elsewhere: The same, where it happens in a process that the script has started; empty
            where nothing more is known of that.
        pins: What keeps it still, in counterfactual runs.
        variations: What changes it on purpose.
        orders: Of the order of a set's elements: what that goes by. Empty for every other cause.
        ledger_names_the_line: Whether the ledger's entry, where it is the only one, stands for the
            line to blame; else it says who started something, not who was hurt by it.
    """

    code: ClassVar[str]
    meaning: ClassVar[str]
    look: ClassVar[str]
    look_elsewhere: ClassVar[str] = ""
    pins: ClassVar[tuple[Pin, ...]] = ()
    variations: ClassVar[tuple[Variation, ...]] = ()
    orders: ClassVar[frozenset[GoesBy]] = frozenset()
    ledger_names_the_line: ClassVar[bool] = True

    def hypotheses(self, evidence: Evidence) -> Iterator[Hypothesis]:
        """What the evidence leaves of it as a possible cause; nothing where it did not vary."""
        yield from ()

    def detail(self, hypothesis: Hypothesis, culprit: Culprit) -> str:
        """Which generator, variable or operation it was."""
        return hypothesis.detail or culprit.variable

    def seen(self, culprit: Culprit) -> str:
        """What an operation shows that neither the ledger nor a variable tells of; may be empty."""
        return ""

    def written(self, statement: Statement, culprit: Culprit) -> str | None:
        """The line to blame, put right; None where that cannot be done."""
        return None

    def is_one_line(self, pinned: Collection[str]) -> bool:
        """Whether the line to blame can be put right by itself.

        Args:
            pinned: What had to be pinned for the runs to agree.
        """
        return True

    def advice(self, culprit: Culprit, pinned: Collection[str], statement: Statement | None) -> str:
        """A sentence, where no line can be written.

        Args:
            culprit: The line to blame.
            pinned: What had to be pinned for the runs to agree.
            statement: What stands on the line; None where it cannot be read.
        """
        return self.look

    def advice_elsewhere(self, culprit: Culprit) -> str:
        """A sentence on a line of a process that the script has started; may be empty.

        Args:
            culprit: The line to blame.
        """
        return self.look_elsewhere
