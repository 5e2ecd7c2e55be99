"""What determinism costs a script, as it was measured in its processes."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass

PLAIN, DETERMINISTIC, EXACT = "plain", "deterministic", "exact"


@dataclass
class CostSamples:
    """What was measured in one process, or in several together.

    Attributes:
        seconds: Kind → seconds of each counted step; step i of every kind were neighbours.
        operations: Kind → operation → seconds in each of the steps whose operations were timed.
    """

    seconds: dict[str, list[float]]
    operations: dict[str, dict[str, list[float]]]

    @classmethod
    def empty(cls, kinds: Sequence[str]) -> CostSamples:
        """Nothing measured yet, of each of these kinds of steps."""
        return cls({kind: [] for kind in kinds}, {kind: {} for kind in kinds})

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of steps that were measured, `PLAIN` first."""
        return tuple(self.seconds)

    def to_json(self) -> str:
        """What was measured, for the process that asked for it."""
        return json.dumps(asdict(self))

    @classmethod
    def parse(cls, text: str) -> CostSamples:
        """Read what `to_json` gave."""
        return cls(**json.loads(text))

    def ratios(self, kind: str) -> list[float]:
        """Seconds of each step of a kind to those of its plain neighbour."""
        pairs = zip(self.seconds[PLAIN], self.seconds[kind], strict=False)
        return [slow / fast for fast, slow in pairs]

    def ratio(self, kind: str) -> float:
        """Median time of a step of a kind to that of a plain step."""
        return self.milliseconds(kind) / self.milliseconds(PLAIN)

    def milliseconds(self, kind: str) -> float:
        """Median time of a step of a kind."""
        return statistics.median(self.seconds[kind]) * 1e3


def slowest_of(samples: Sequence[CostSamples]) -> CostSamples:
    """What a step takes that several processes make together.

    Args:
        samples: What each of them measured, one at least.

    Returns:
        Of each step the time of the slowest process, as far as all have timed it; of each operation
        the times in all of them.
    """
    kinds = [kind for kind in samples[0].kinds if all(kind in one.kinds for one in samples)]
    together = CostSamples.empty(kinds)
    for kind in kinds:
        steps = zip(*(one.seconds[kind] for one in samples), strict=False)
        together.seconds[kind] = [max(step) for step in steps]
        for one in samples:
            for name, seconds in one.operations[kind].items():
                together.operations[kind].setdefault(name, []).extend(seconds)
    return together
