"""What the search for a cause may cost: further runs, and time for them."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_RUNS = 24
"""Further runs at most, unless asked otherwise."""

_PLAIN_RUNS = 5.0
_LEAST_S = 120.0
_LEAST_RUN_S = 20.0
_TIMES_PLAIN = 10


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a person allows.

    Attributes:
        runs: Further runs at most; 0 for none.
        seconds: Time at most; None for five times a run of the check, or two minutes where that is
            more.
        thorough: Whether as many runs are made as a proof takes, also where a difference may come
            and go: there that is some ten, and three or four tell what is likely.
    """

    runs: int = DEFAULT_RUNS
    seconds: float | None = None
    thorough: bool = False

    def allowed_seconds(self, plain: float) -> float:
        """The time that is allowed, in seconds.

        Args:
            plain: What a run of the check took, in seconds.
        """
        if self.seconds is not None:
            return self.seconds
        return max(_PLAIN_RUNS * plain, _LEAST_S)


def longest_run(plain: float, timeout: float | None) -> float:
    """Seconds after which a further run is ended: with something pinned it may wait for ever.

    Args:
        plain: How long the script takes, in seconds.
        timeout: The limit that a person has set, if any.
    """
    limit = max(_LEAST_RUN_S, _TIMES_PLAIN * plain)
    return limit if timeout is None else min(limit, timeout)
