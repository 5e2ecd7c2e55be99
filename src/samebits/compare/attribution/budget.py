"""How many further runs an attribution may make, and for how long."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

DEFAULT_RUNS = 24
"""Further runs at most, unless asked otherwise."""

_PLAIN_RUNS = 5.0
_LEAST_S = 120.0


class OutOfRunsError(Exception):
    """The budget holds no further run."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a person allows.

    Attributes:
        runs: Further runs at most; 0 for none.
        seconds: Time at most; None for five times a run of the check, or two minutes where that is
            more.
    """

    runs: int = DEFAULT_RUNS
    seconds: float | None = None

    def allowed_seconds(self, plain: float) -> float:
        """The time that is allowed, in seconds.

        Args:
            plain: What a run of the check took, in seconds.
        """
        if self.seconds is not None:
            return self.seconds
        return max(_PLAIN_RUNS * plain, _LEAST_S)


@dataclass
class Budget:
    """What is left of it, counted down as runs are made.

    Attributes:
        runs: Runs that may still be made.
        seconds: Time for all of them, from now on.
    """

    runs: int
    seconds: float = math.inf
    _started: float = field(default_factory=time.monotonic)

    def take(self, runs: int) -> None:
        """Count runs that are about to be made.

        Raises:
            OutOfRunsError: There are not so many left, or no time is.
        """
        if self.runs < runs or self.seconds_left <= 0:
            raise OutOfRunsError
        self.runs -= runs

    @property
    def seconds_left(self) -> float:
        """Seconds until it is spent."""
        return self.seconds - (time.monotonic() - self._started)
