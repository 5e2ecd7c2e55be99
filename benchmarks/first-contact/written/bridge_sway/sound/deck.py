"""Sway of a footbridge deck in its first four modes, stepped through time with Newmark's scheme."""
import numpy as np

SPAN, MASS = 60.0, 2400.0                      # m, kg per m
FREQ = np.array([1.05, 2.1, 3.4, 4.9])         # Hz
DAMP = np.array([0.007, 0.008, 0.010, 0.012])
WEIGHT = 750.0                                 # N per walker


def modal_load(density, pace, in_step, t):
    """Amplitudes of the force on each mode; harmonics of the pace at half frequency are lateral."""
    walkers = density * SPAN * 3.0
    effective = walkers * in_step + np.sqrt(walkers * (1.0 - in_step))
    harmonics = sum(a * np.sin(np.pi * k * pace * t + 0.4 * k)
                    for k, a in ((1, 0.04), (2, 0.012), (3, 0.02)))
    shape = 1.0 / np.arange(1, len(FREQ) + 1)
    return effective * WEIGHT * harmonics * shape


def peak_acceleration(density, pace, stiffness, damping, in_step, seconds=20.0, dt=0.02):
    omega = 2 * np.pi * FREQ * np.sqrt(stiffness / (1.0 + 0.1 * density))
    c, k = 2 * DAMP * damping * omega, omega ** 2
    modal_mass = 0.5 * MASS * SPAN
    u = v = np.zeros(len(FREQ))
    a = np.zeros(len(FREQ))
    peak = 0.0
    for step in range(1, int(seconds / dt)):
        force = modal_load(density, pace, in_step, step * dt) / modal_mass
        u_half = u + dt * v + 0.25 * dt ** 2 * a
        v_half = v + 0.5 * dt * a
        a = (force - c * v_half - k * u_half) / (1 + 0.5 * dt * c + 0.25 * dt ** 2 * k)
        u, v = u_half + 0.25 * dt ** 2 * a, v_half + 0.5 * dt * a
        peak = max(peak, abs(float(a.sum())))
    return peak
