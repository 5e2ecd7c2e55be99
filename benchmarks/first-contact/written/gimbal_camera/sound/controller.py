"""A PID controller with filtered derivative and anti-windup."""

import time


class Pid:
    def __init__(self, kp, ki, kd, tau=0.02, limits=(-4.0, 4.0)):
        self.kp, self.ki, self.kd, self.tau = kp, ki, kd, tau
        self.limits = limits
        self.reset()

    def reset(self):
        self._integral = 0.0
        self._slope = 0.0
        self._last_error = None
        self._last_time = time.monotonic()

    def _clamp(self, value):
        low, high = self.limits
        return max(low, min(high, value))

    def __call__(self, error, dt=None):
        """The command for this error; dt is the time since the last call."""
        now = time.monotonic()
        if dt is None:
            dt = max(now - self._last_time, 1e-9)
        elif dt <= 0:
            raise ValueError(f"dt must be positive, not {dt}")
        if self._last_error is not None:
            raw = (error - self._last_error) / dt
            self._slope += (raw - self._slope) * dt / (self.tau + dt)
        self._integral = self._clamp(self._integral + self.ki * error * dt)
        self._last_error, self._last_time = error, now
        return self._clamp(self.kp * error + self._integral + self.kd * self._slope)
