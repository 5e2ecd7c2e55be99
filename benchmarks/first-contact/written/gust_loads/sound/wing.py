"""Discrete gusts on a flexible wing: two modes, quasi-steady aerodynamics."""
import numpy as np

FREQUENCY = np.array([11.0, 27.0])
DAMPING = np.array([0.03, 0.02])
SHAPE = np.array([1.0, -0.45])


def encounters(rng, count, steps=90, dt=0.004):
    """Features of random 1-cos gusts and the peak root bending moments they give."""
    speed = rng.uniform(90, 240, count)
    height = rng.uniform(9, 107, count)
    mass = rng.uniform(0.8, 1.3, count)
    amplitude = rng.uniform(3, 17, count) * (height / 107) ** (1 / 6)
    q = np.zeros((count, 2))
    v = np.zeros((count, 2))
    peak = np.zeros(count)
    omega = FREQUENCY / np.sqrt(mass)[:, None]
    for step in range(steps):
        travelled = speed * dt * step
        inside = travelled < 2 * height
        gust = np.where(inside, 0.5 * amplitude * (1 - np.cos(np.pi * travelled / height)), 0.0)
        force = (speed * gust / 240)[:, None] * SHAPE
        v = v + dt * (force * 40 - 2 * DAMPING * omega * v - omega ** 2 * q)
        q = q + dt * v
        peak = np.maximum(peak, np.abs(q @ np.array([1.0, 2.1])))
    x = np.stack([speed / 240, height / 107, mass, amplitude / 17], 1)
    return x.astype(np.float32), peak.astype(np.float32)
