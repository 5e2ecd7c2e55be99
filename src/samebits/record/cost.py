"""What determinism costs a script, as it was measured in one process."""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass, field
from pathlib import Path

PLAIN, DETERMINISTIC = "plain", "deterministic"


@dataclass
class CostSamples:
    """What was measured in one process.

    Attributes:
        seconds: Kind → seconds of each counted step; step i of both kinds were neighbours.
        operations: Kind → operation → seconds in each of the steps whose operations were timed.
    """

    seconds: dict[str, list[float]] = field(default_factory=lambda: {PLAIN: [], DETERMINISTIC: []})
    operations: dict[str, dict[str, list[float]]] = field(
        default_factory=lambda: {PLAIN: {}, DETERMINISTIC: {}}
    )

    def write(self, path: Path) -> None:
        """Write what was measured, for the process that asked for it."""
        path.write_text(json.dumps(asdict(self)))

    @classmethod
    def parse(cls, text: str) -> CostSamples:
        """Read what `write` wrote."""
        return cls(**json.loads(text))

    @property
    def pairs(self) -> list[tuple[float, float]]:
        """Neighbouring steps: seconds plain, seconds deterministic."""
        return list(zip(self.seconds[PLAIN], self.seconds[DETERMINISTIC], strict=False))

    @property
    def ratio(self) -> float:
        """Median over the pairs of deterministic time to plain time."""
        return statistics.median(slow / fast for fast, slow in self.pairs)
