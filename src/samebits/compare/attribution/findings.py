"""What an attribution asks for, and what it finds: counterfactual runs, and who is convicted."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from samebits.compare.attribution.circumstances import Circumstances
from samebits.compare.attribution.scope import Scope
from samebits.compare.attribution.suspects import Suspect
from samebits.compare.attribution.trials import Trial
from samebits.compare.values import ValueDifferences
from samebits.record.replays import Replays
from samebits.trace.reader import Trace


class Laboratory(Protocol):
    """Where counterfactual runs are made; see `Trials`."""

    def pair(self, circumstances: Circumstances, scope: Scope, *, anew: bool = False) -> Trial:
        """Two runs in the same circumstances."""

    def beside_control(self, circumstances: Circumstances, scope: Scope) -> Trial:
        """One run under `samebits run`, beside one with a part of that pinned."""

    def once_more(
        self, reference: tuple[Trace, Trace], circumstances: Circumstances, scope: Scope
    ) -> Trial:
        """One more run in circumstances that a run was made in before."""

    def compare(
        self,
        reference: Trace,
        other: Trace,
        circumstances: Circumstances,
        scope: Scope,
        *,
        varied: Collection[str] = (),
    ) -> Trial:
        """Two runs that were made, beside each other."""

    def against(self, reference: Trial, circumstances: Circumstances, scope: Scope) -> Trial:
        """One run in other circumstances, beside one that was made."""

    def let_go(
        self, still: Circumstances, varied: Circumstances, scope: Scope, *, follow: bool
    ) -> tuple[Trial, ValueDifferences]:
        """Two runs between which one thing alone varies, and where variables differ."""

    def replays(self, circumstances: Circumstances, scope: Scope) -> Replays | None:
        """How the operation at the end of the scope repeats."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What made the runs diverge in one situation.

    Attributes:
        suspects: Those that were convicted; several when only together they explain it.
        convicted: Whether counterfactual runs speak for them; `Proof.confidence` says how firmly.
        holds: What has to be pinned for the runs to come further.
        trial: The pair that came further, where there was one.
        replays: How the operation repeats, where that was the proof.
        everything: The pair with everything pinned, where it was made.
        could_hold: Everything that may have varied and can be pinned.
        rivals: Other suspects that something in the runs' own notes speaks for.
    """

    suspects: tuple[Suspect, ...]
    convicted: bool
    holds: frozenset[str] = frozenset()
    trial: Trial | None = None
    replays: Replays | None = None
    everything: Trial | None = None
    could_hold: frozenset[str] = frozenset()
    rivals: tuple[Suspect, ...] = ()


class RefutedError(Exception):
    """A further run shows that what was convicted does not suffice."""


class WentByItselfError(Exception):
    """A further run in the same circumstances agrees with the one before it."""
