"""Contrast curves of a kidney: arterial input convolved with a two-compartment response."""
from dataclasses import dataclass

import numpy as np
from scipy.signal import fftconvolve

FRAMES = 80
STEP = 2.0


@dataclass(frozen=True)
class Case:
    name: str
    plasma_flow: float
    transit: float
    filtration: float


def cohort(count, seed):
    rng = np.random.default_rng(seed)
    return [Case(f"K{number:03d}", float(rng.uniform(80, 320)), float(rng.uniform(3, 9)), float(rng.uniform(10, 70)))
            for number in range(count)]


def arterial_input(onset):
    t = np.arange(FRAMES) * STEP - onset
    t = np.clip(t, 0, None)
    return (t / 6) ** 2 * np.exp(2 * (1 - t / 6)) * 5 + 0.6 * (1 - np.exp(-t / 30)) * np.exp(-t / 400)


def response(case):
    t = np.arange(FRAMES) * STEP
    plasma = np.exp(-t / case.transit)
    tubular = (1 - np.exp(-t / case.transit)) * np.exp(-t / 180)
    return (case.plasma_flow * plasma + case.filtration * tubular) / 6000


def acquire(case, rng, repeats=25):
    """Repeated scans of one kidney, with breathing, jittered onset and Rician noise."""
    curves = np.empty((repeats, FRAMES), np.float32)
    for scan in range(repeats):
        curve = fftconvolve(arterial_input(8 + rng.normal(0, 1.5)), response(case) * STEP)[:FRAMES]
        breathing = 1 + 0.04 * np.sin(np.arange(FRAMES) * STEP * 0.25 * 2 * np.pi / 4 + rng.uniform(0, 2 * np.pi))
        noise = rng.normal(0, 0.02, (2, FRAMES))
        curves[scan] = np.hypot(curve * breathing + noise[0], noise[1])
    return case.name, curves.mean(0), curves.std(0)
