"""The cohort: EEG windows with the depth index that the reference monitor showed.

The cohort is data, not part of the experiment: it is the same whatever the seed of the run.
"""
import numpy as np
import torch

RATE = 64                # Hz
SECONDS = 8
SAMPLES = RATE * SECONDS
COHORT_SEED = 20190604
BANDS = {"slow": (0.3, 1.0), "delta": (1.0, 4.0), "alpha": (8.0, 12.0), "beta": (14.0, 26.0)}


def band_powers(depth, patient_rng_state):
    """Amplitudes of the bands at a depth index (100 awake, 0 no activity)."""
    age, alpha_gain = patient_rng_state
    sleep = 1.0 - depth / 100.0
    return {
        "slow": 0.3 + 2.2 * sleep ** 2,
        "delta": 0.4 + 2.6 * sleep * (1.0 - 0.3 * age),
        "alpha": alpha_gain * (0.3 + 1.6 * np.exp(-((depth - 45.0) / 18.0) ** 2)),
        "beta": 0.25 + 0.9 * np.exp(-((depth - 75.0) / 20.0) ** 2),
    }


def eeg_window(rng, depth, patient):
    time = np.arange(SAMPLES) / RATE
    left, right = np.zeros(SAMPLES), np.zeros(SAMPLES)
    for name, amplitude in band_powers(depth, patient).items():
        low, high = BANDS[name]
        for _ in range(5):
            frequency = rng.uniform(low, high)
            phase = rng.uniform(0.0, 2 * np.pi)
            part = amplitude * rng.rayleigh(0.5) * np.sin(2 * np.pi * frequency * time + phase)
            left += part
            right += part * rng.uniform(0.7, 1.1)
    if depth < 30.0:  # burst suppression
        quiet = np.ones(SAMPLES)
        for _ in range(int((30.0 - depth) / 6.0) + 1):
            begin = rng.integers(0, SAMPLES - RATE)
            quiet[begin:begin + RATE] = 0.05
        left, right = left * quiet, right * quiet
    noise = 0.35 * rng.standard_normal((2, SAMPLES))
    return np.stack([left, right]) + noise


def course_of_depth(rng, windows):
    """Induction, maintenance with changes of stimulus, emergence."""
    position = np.linspace(0.0, 1.0, windows)
    plateau = rng.uniform(32.0, 55.0)
    induction = 95.0 - (95.0 - plateau) / (1.0 + np.exp(-(position - 0.15) * 40.0))
    emergence = (92.0 - plateau) / (1.0 + np.exp(-(position - 0.88) * 45.0))
    wander = 6.0 * np.sin(2 * np.pi * rng.uniform(1.0, 3.0) * position + rng.uniform(0, 6.28))
    dip = -22.0 * np.exp(-((position - rng.uniform(0.25, 0.7)) / 0.05) ** 2)
    return np.clip(induction + emergence + wander + dip, 4.0, 98.0)


def load_cohort(patients, windows, test_patients):
    """((windows, depths) to train on, the same of the last patients to test on)"""
    signals, depths = [], []
    for number in range(patients):
        rng = np.random.default_rng([COHORT_SEED, number])
        patient = (rng.uniform(0.0, 1.0), rng.uniform(0.6, 1.3))
        for depth in course_of_depth(rng, windows):
            signals.append(eeg_window(rng, depth, patient))
            depths.append(depth + rng.normal(0.0, 1.5))
    signals = torch.tensor(np.stack(signals), dtype=torch.float32) / 3.0
    depths = torch.tensor(np.array(depths), dtype=torch.float32)
    border = (patients - test_patients) * windows
    return (signals[:border], depths[:border]), (signals[border:], depths[border:])
