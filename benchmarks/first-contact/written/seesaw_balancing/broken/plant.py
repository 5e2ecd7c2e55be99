"""A ball on a seesaw, simulated at the pace of the real one."""
import math
import time
from dataclasses import dataclass


@dataclass
class State:
    ball: float
    speed: float
    tilt: float
    spin: float

    def as_row(self):
        return [self.ball, self.speed, self.tilt, self.spin]


class Seesaw:
    GRAVITY = 9.81
    INERTIA = 0.08
    FRICTION = 0.4

    def __init__(self, period, state):
        self.period = period
        self.state = state
        self.last = time.perf_counter()
        self.longest = 0.0

    def pace(self):
        """Sleeps until the next tick is due and returns the time since the last one."""
        remaining = self.last + self.period - time.perf_counter()
        if remaining > 0:
            time.sleep(remaining)
        now = time.perf_counter()
        elapsed, self.last = now - self.last, now
        self.longest = max(self.longest, elapsed)
        return elapsed

    def step(self, torque):
        dt = self.pace()
        s = self.state
        spin = s.spin + dt * (torque - 0.2 * s.ball * math.cos(s.tilt)) / self.INERTIA - dt * s.spin
        tilt = max(-0.4, min(0.4, s.tilt + dt * spin))
        speed = s.speed + dt * (-5 / 7 * self.GRAVITY * math.sin(tilt) - self.FRICTION * s.speed)
        ball = max(-0.5, min(0.5, s.ball + dt * speed))
        self.state = State(ball, speed, tilt, spin)
        return self.state
