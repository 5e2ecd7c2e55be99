"""What two runs of an attribution have shown."""

from __future__ import annotations

from dataclasses import dataclass

from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.interventions import Interventions


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Two runs that were compared.

    Attributes:
        circumstances: What was pinned in both, or in the second one.
        traces: The two runs.
        divergence: Where they diverge; None when they agree as far as they went.
        usable: False when a run ended in another way than the script does by itself, so that it
            proves nothing.
        whole: Whether they went to the script's own end.
        number: Its number among the observations.
    """

    circumstances: Interventions
    traces: tuple[Trace, Trace]
    divergence: Divergence | None
    usable: bool = True
    whole: bool = True
    number: int = 0
