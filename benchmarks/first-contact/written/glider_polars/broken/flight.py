"""A point-mass glider in gusty air."""
import numpy as np

GRAVITY = 9.81
STEP = 0.05


def glide(wing, mass, speed, rng):
    """Flies from 40 m down to the ground; returns distance, duration and worst sink rate."""
    x, height, worst = 0.0, 40.0, 0.0
    vx, vz = speed, 0.0
    seconds, gust = 0.0, 0.0
    while height > 0 and seconds < 60:
        gust = 0.95 * gust + rng.normal(0.0, 0.25)
        airspeed = np.hypot(vx, vz - gust)
        pressure = 0.5 * 1.2 * airspeed * wing
        lift = 0.9 * pressure
        drag = (0.03 + 0.9 ** 2 / (np.pi * 9.0)) * pressure
        ax = (-drag * vx - lift * (vz - gust)) / mass
        az = (lift * vx - drag * (vz - gust)) / mass - GRAVITY
        vx, vz = vx + STEP * ax, vz + STEP * az
        x, height = x + STEP * vx, height + STEP * vz
        worst = max(worst, -vz)
        seconds += STEP
    return x, seconds, worst
