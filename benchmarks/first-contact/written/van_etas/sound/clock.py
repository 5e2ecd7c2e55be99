"""Time in a replay."""

import time


class ReplayClock:
    """Seconds of the replayed days, counted from 06:00 of the first one.

    `speed` is the nominal speed: how many seconds of the day one second of replay should cover.
    """

    OPENING = 6 * 3600
    SHIFT = 16 * 3600

    def __init__(self, step=60.0, speed=12000.0):
        self.step = step
        self.speed = speed
        self.ticks = 0
        self._started = time.monotonic()

    def tick(self):
        self.ticks += 1

    @property
    def now(self):
        return self.ticks * self.step

    @property
    def elapsed(self):
        """How far the replay should have come at its nominal speed."""
        return (time.monotonic() - self._started) * self.speed

    @property
    def day(self):
        return int(self.now // self.SHIFT)

    @property
    def hour(self):
        return (self.OPENING + self.now % self.SHIFT) / 3600.0

    def lag(self):
        """Seconds of wall time that the replay is behind (positive) or ahead of its nominal speed."""
        return (self.elapsed - self.now) / self.speed
