"""What the runs of an attribution have shown in one situation: agreements and divergences."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from samebits.check.trials.attribution.luck import is_excluded
from samebits.check.trials.attribution.situation import Situation


class Outcome(enum.IntEnum):
    """What two runs came to, seen from the place that is explained."""

    DIVERGED = 0
    LATER = 1
    """They diverge at a like place, only later: what goes by pace does so by itself at times."""
    FURTHER = 2
    """They diverge at another place beyond it."""
    AGREED = 3
    """They agree as far as they went."""


@dataclass(frozen=True)
class _CountedComparison:
    pinned: frozenset[str]
    outcome: Outcome
    number: int


@dataclass
class Tally:
    """Comparisons of runs in one situation, by what was pinned in them.

    Attributes:
        plain: What is pinned in the runs that are explained.
        let_go: Pins that were let go alone → whether the runs diverged then.
    """

    plain: frozenset[str] = frozenset()
    let_go: dict[str, bool] = field(default_factory=dict)
    _comparisons: list[_CountedComparison] = field(default_factory=list)
    _numbers: dict[str, list[int]] = field(default_factory=dict)
    _of_run_2: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, situation: Situation) -> Tally:
        """What is known before any counterfactual run is made."""
        record = cls(plain=situation.pinned)
        for number in situation.diverged:
            record.add(situation.pinned, Outcome.DIVERGED, number)
        return record

    def add(self, pinned: frozenset[str], outcome: Outcome, number: int) -> None:
        """Keep a comparison of two runs.

        Args:
            pinned: What was pinned in both.
            outcome: What they came to.
            number: The observation's number.
        """
        comparison = _CountedComparison(pinned, outcome, number)
        if comparison not in self._comparisons:
            self._comparisons.append(comparison)

    def add_let_go(self, pin: str, *, further: bool, number: int) -> None:
        """Keep what a run has shown in which one thing alone was not pinned."""
        self.let_go[pin] = self.let_go.get(pin, False) or not further
        if not further:
            self._numbers.setdefault(pin, []).append(number)

    def add_run_2(self, pin: str, number: int) -> None:
        """Keep that the second run of the check diverged from one with a pin."""
        self._numbers.setdefault(pin, []).append(number)
        self._of_run_2.add(pin)

    def counts_run_2(self, pin: str) -> bool:
        """Whether that was kept."""
        return pin in self._of_run_2

    def came_further_anyway(self, least: Outcome) -> bool:
        """Whether runs came as far as that with nothing more pinned."""
        return any(one.outcome >= least and one.pinned == self.plain for one in self._comparisons)

    def counts(self, pinned: frozenset[str], pin: str, least: Outcome) -> tuple[int, int]:
        """How often runs agreed longer with something pinned, and did not without it.

        Args:
            pinned: All that was pinned.
            pin: What is looked at.
            least: From which outcome on they count as having agree longer.
        """
        with_it = [one for one in self._comparisons if _speaks_for(one, pinned, least)]
        without = [one for one in self._comparisons if self._speaks_against(one, pin, least)]
        let_go = set(self._numbers.get(pin, ())) - {one.number for one in without}
        return len(with_it), len(without) + len(let_go)

    def excludes_luck(
        self, pinned: frozenset[str], pin: str, least: Outcome, *, intermittent: bool
    ) -> bool:
        """Whether luck is too unlikely to have made what is pinned look like the cause."""
        agreements, divergences = self.counts(pinned, pin, least)
        return is_excluded(agreements, divergences, intermittent=intermittent)

    def numbers(self, pinned: frozenset[str], pin: str) -> tuple[int, ...]:
        """The observations that speak for a pin: those with it and those without."""
        found = {
            one.number
            for one in self._comparisons
            if _speaks_for(one, pinned, Outcome.LATER)
            or self._speaks_against(one, pin, Outcome.FURTHER)
        }
        return tuple(sorted({*found, *self._numbers.get(pin, ())}))

    def _speaks_against(self, one: _CountedComparison, pin: str, least: Outcome) -> bool:
        return one.outcome < least and pin not in one.pinned - self.plain


def _speaks_for(one: _CountedComparison, pinned: frozenset[str], least: Outcome) -> bool:
    return one.outcome >= least and one.pinned == pinned
