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
        made: Runs that were made.
    """

    runs: int
    seconds: float = math.inf
    made: int = 0
    _started: float = field(default_factory=time.monotonic)

    def take(self, runs: int) -> None:
        """Count runs that are about to be made.

        Raises:
            OutOfRunsError: There are not so many left, or no time is.
        """
        if self.runs < runs or self.seconds_left <= 0:
            raise OutOfRunsError
        self.runs -= runs
        self.made += runs

    @property
    def seconds_left(self) -> float:
        """Seconds until it is spent."""
        return self.seconds - (time.monotonic() - self._started)
