"""What an attribution finds in one situation: which hypotheses are confirmed, and by what."""

from __future__ import annotations

from dataclasses import dataclass

from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.record.replays import Replays
from samebits.check.trials.attribution.trial import Trial


@dataclass(frozen=True, kw_only=True)
class FoundCause:
    """What made the runs diverge in one situation.

    Attributes:
        hypotheses: Those that were confirmed; several when only together they explain it.
        confirmed: Whether counterfactual runs speak for them; `Proof.confidence` says how firmly.
        pins: What has to be pinned for the runs to agree longer.
        trial: The pair that agreed longer, where there was one.
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
