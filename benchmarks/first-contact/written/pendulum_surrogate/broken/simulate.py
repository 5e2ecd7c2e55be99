import math
import random


def trajectory(case):
    """Velocity Verlet of a driven pendulum; returns what went in and where it ended."""
    theta, omega, drive = case
    h = 0.01
    t = 0.0
    end = 3.0 + 4.0 * drive
    while t < end:
        force = -9.81 * math.sin(theta) + drive * math.cos(2.0 * t) - 0.2 * omega
        half = omega + 0.5 * h * force
        theta += h * half
        force = -9.81 * math.sin(theta) + drive * math.cos(2.0 * (t + h)) - 0.2 * half
        omega = half + 0.5 * h * force
        t += h
    return case, (math.cos(theta), math.sin(theta), omega)


def make_cases(n, seed):
    rnd = random.Random(seed)
    return [(rnd.uniform(-1.5, 1.5), rnd.uniform(-2, 2), rnd.uniform(0, 1)) for _ in range(n)]
