"""What an attribution asks for, and what it finds: counterfactual runs, and who is confirmed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.diff.values import ValueDifferences
from samebits.check.record.replays import Replays
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.interventions import Interventions
from samebits.check.trials.attribution.scope import RunScope
from samebits.check.trials.attribution.trials import Trial


class Laboratory(Protocol):
    """Where counterfactual runs are made; see `Trials`."""

    def pair(self, circumstances: Interventions, scope: RunScope, *, anew: bool = False) -> Trial:
        """Two runs in the same circumstances."""

    def beside_control(self, circumstances: Interventions, scope: RunScope) -> Trial:
        """One run under `samebits run`, beside one with a part of that pinned."""

    def once_more(
        self, reference: tuple[Trace, Trace], circumstances: Interventions, scope: RunScope
    ) -> Trial:
        """One more run in circumstances that a run was made in before."""

    def compare(
        self,
        reference: Trace,
        other: Trace,
        circumstances: Interventions,
        scope: RunScope,
        *,
        varied: Collection[str] = (),
    ) -> Trial:
        """Two runs that were made, beside each other."""

    def against(self, reference: Trial, circumstances: Interventions, scope: RunScope) -> Trial:
        """One run in other circumstances, beside one that was made."""

    def let_go(
        self, still: Interventions, varied: Interventions, scope: RunScope, *, follow: bool
    ) -> tuple[Trial, ValueDifferences]:
        """Two runs between which one thing alone varies, and where variables differ."""

    def replays(self, circumstances: Interventions, scope: RunScope) -> Replays | None:
        """How the operation at the end of the scope repeats."""


@dataclass(frozen=True, kw_only=True)
class FoundCause:
    """What made the runs diverge in one situation.

    Attributes:
        hypotheses: Those that were confirmed; several when only together they explain it.
        confirmed: Whether counterfactual runs speak for them; `Proof.confidence` says how firmly.
        pins: What has to be pinned for the runs to come further.
        trial: The pair that came further, where there was one.
        replays: How the operation repeats, where that was the proof.
        everything: The pair with everything pinned, where it was made.
        could_pin: Everything that may have varied and can be pinned.
        rivals: Other hypotheses that something in the runs' own notes speaks for.
    """

    hypotheses: tuple[Hypothesis, ...]
    confirmed: bool
    pins: frozenset[str] = frozenset()
    trial: Trial | None = None
    replays: Replays | None = None
    everything: Trial | None = None
    could_pin: frozenset[str] = frozenset()
    rivals: tuple[Hypothesis, ...] = ()


class RefutedError(Exception):
    """A further run shows that what was confirmed does not suffice."""


class WentByItselfError(Exception):
    """A further run in the same circumstances agrees with the one before it."""
