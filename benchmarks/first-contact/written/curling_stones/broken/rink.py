import math

import numpy as np

HOUSE = np.array([0.0, 28.0])


def throw(speed, angle, spin, rng):
    """Follows one stone until it lies still. Returns where."""
    x = y = 0.0
    vx, vy = speed * math.sin(angle), speed * math.cos(angle)
    mu = 0.14 * (1 + 0.03 * rng.standard_normal())
    dt = 0.05
    while True:
        v = math.hypot(vx, vy)
        if v < mu * dt or y > 40:
            return np.array([x, y])
        ax = -mu * vx / v + 0.012 * spin * vy / (v + 0.3)
        ay = -mu * vy / v - 0.012 * spin * vx / (v + 0.3)
        vx, vy = vx + ax * dt, vy + ay * dt
        x, y = x + vx * dt, y + vy * dt


def score(stone):
    d = float(np.linalg.norm((stone - HOUSE) / np.array([1.0, 3.0])))
    return math.exp(-d / 2.0)
