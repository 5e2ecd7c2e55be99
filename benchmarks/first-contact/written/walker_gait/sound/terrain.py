"""A two-legged planar walker on rough ground; crude, but quick enough to be simulated by the thousand."""
import math

import numpy as np

DT = 0.04
STEPS = 150
OBSERVED = 8
MOTORS = 2


class Walker:
    def __init__(self, rng):
        self.rng = rng
        self.slopes = rng.uniform(-0.12, 0.18, size=64)
        self.friction = rng.uniform(0.6, 1.0)
        self.payload = rng.uniform(0.8, 1.3)
        self.x = 0.0
        self.speed = 0.0
        self.pitch = rng.normal(0.0, 0.05)
        self.pitch_rate = 0.0
        self.hips = np.array([0.3, -0.3]) + rng.normal(0.0, 0.05, size=2)
        self.energy = 0.0
        self.t = 0

    def observe(self):
        phase = 2 * math.pi * 1.4 * self.t * DT
        clean = np.array([math.sin(phase), math.cos(phase), self.speed, self.pitch, self.pitch_rate,
                          self.hips[0], self.hips[1], self.slope()])
        return clean + self.rng.normal(0.0, 0.03, size=OBSERVED)

    def slope(self):
        return self.slopes[int(abs(self.x) * 4) % len(self.slopes)]

    def step(self, torque):
        torque = np.clip(torque, -1.0, 1.0)
        rate = 3.0 * torque
        stance = int(np.argmin(np.cos(self.hips) * np.array([1.0, 1.0]) + 0.2 * self.hips))
        push = -rate[stance] * self.friction / self.payload
        self.hips = np.clip(self.hips + DT * rate, -0.9, 0.9)
        self.speed += DT * (2.2 * push - 1.1 * self.speed - 4.0 * self.slope())
        self.pitch_rate += DT * (5.0 * self.pitch - 1.2 * push - 2.0 * float(self.hips.sum()) - 0.8 * self.pitch_rate)
        self.pitch += DT * self.pitch_rate
        self.x += DT * self.speed
        self.energy += DT * float((torque ** 2).sum())
        self.t += 1
        return abs(self.pitch) > 0.7 or self.t >= STEPS

    def score(self):
        return self.x + 0.01 * self.t - 0.05 * self.energy
