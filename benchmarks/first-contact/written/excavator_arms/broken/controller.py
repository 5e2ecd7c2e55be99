"""Joint controller of the excavator's arm, as it runs on the machine."""
import time
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Gains:
    p: float = 60.0
    i: float = 25.0
    d: float = 11.0
    limit: float = 90.0


@dataclass
class JointController:
    gains: Gains
    joints: int = 3
    integral: np.ndarray = field(init=False)
    last: float = field(init=False)
    calls: int = 0
    spent: float = 0.0

    def __post_init__(self):
        self.reset()

    def reset(self):
        self.integral = np.zeros(self.joints)
        self.last = time.perf_counter()

    def torque(self, target, angle, speed):
        now = time.perf_counter()
        elapsed, self.last = now - self.last, now
        error = target - angle
        self.integral = np.clip(self.integral + error * elapsed, -1.0, 1.0)
        out = self.gains.p * error + self.gains.i * self.integral - self.gains.d * speed
        out = np.clip(out, -self.gains.limit, self.gains.limit)
        self.calls += 1
        self.spent += time.perf_counter() - now
        return out

    def mean_latency(self):
        return self.spent / max(1, self.calls)
