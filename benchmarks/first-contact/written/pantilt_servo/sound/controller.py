"""PID position controller of the pan axis."""
import time


class PID:
    def __init__(self, kp, ki, kd, sample_time, limit=12.0, smoothing=0.3):
        self.kp, self.ki, self.kd = kp, ki, kd
        self.sample_time = sample_time
        self.limit = limit
        self.smoothing = smoothing
        self.worst_gap = 0.0
        self.reset()

    def reset(self):
        self.integral = 0.0
        self.slope = 0.0
        self.last_measured = None
        self.last_time = time.monotonic()

    def update(self, target, measured):
        now = time.monotonic()
        gap = now - self.last_time
        self.last_time = now
        self.worst_gap = max(self.worst_gap, gap)
        dt = self.sample_time

        error = target - measured
        if self.last_measured is not None:
            slope = (measured - self.last_measured) / dt
            self.slope += self.smoothing * (slope - self.slope)
        self.last_measured = measured
        candidate = self.integral + self.ki * error * dt
        volts = self.kp * error + candidate - self.kd * self.slope
        if abs(volts) < self.limit:
            self.integral = candidate
        return max(-self.limit, min(self.limit, volts))
