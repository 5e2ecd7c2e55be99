"""What an attribution came to: the causes, and what has to be pinned for two runs to agree."""

from __future__ import annotations

from dataclasses import dataclass

from samebits.check.diff.distance import Distance
from samebits.check.diff.verdict import Cause, Observation


@dataclass(frozen=True, kw_only=True)
class Attribution:
    """What an attribution came to.

    Attributes:
        causes: In the order in which they show; never empty.
        controls: The pins under which the runs agree; empty where none were found.
        whole: Whether they then agree to the script's own end, not only up to the divergence.
        under_run: Whether runs agree under `samebits run --seed 0`, as far as `whole` says: two of
            them, or one with another one in which less was pinned. None where not tried.
        notes: What a person should know, one line each.
        observations: The comparisons that were made.
        distance: How far the results lie apart where the runs diverge first; None where the runs
            that were made do not tell it.
    """

    causes: tuple[Cause, ...]
    controls: tuple[str, ...] = ()
    whole: bool = False
    under_run: bool | None = None
    notes: tuple[str, ...] = ()
    observations: tuple[Observation, ...] = ()
    distance: Distance | None = None
