"""What is left of the limits of an attribution, counted down as runs are made."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field


class OutOfRunsError(Exception):
    """The budget holds no further run."""


@dataclass
class Budget:
    """What is left of it, counted down as runs are made.

    Attributes:
        runs: Runs that may still be made.
        seconds: Time for all of them, from now on.
        work: Seconds that they may take altogether, also where two of them go on at once.
        made: Runs that were made.
        worked: Seconds that these took altogether.
    """

    runs: int
    seconds: float = math.inf
    work: float = math.inf
    made: int = 0
    worked: float = 0.0
    _started: float = field(default_factory=time.monotonic)

    def take(self, runs: int) -> None:
        """Count runs that are about to be made.

        Raises:
            OutOfRunsError: There are not so many left, or no time is.
        """
        usual = self.worked / self.made if self.made else 0.0
        if self.runs < runs or self.seconds_left <= 0 or self.worked + runs * usual > self.work:
            raise OutOfRunsError
        self.runs -= runs
        self.made += runs

    def note(self, seconds: float) -> None:
        """Count what a run took."""
        self.worked += seconds

    @property
    def seconds_left(self) -> float:
        """Seconds until it is spent."""
        return self.seconds - (time.monotonic() - self._started)
