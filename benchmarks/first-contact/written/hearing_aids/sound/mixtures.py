"""Synthetic talkers, noises, and the mixtures of both.

Real corpora are not on this machine; harmonics under a formant envelope with a syllable rhythm are
close enough to work on the training loop.
"""
import numpy as np
import torch
from torch.utils.data import Dataset

SAMPLE_RATE = 8000
LENGTH = 8000
N_FFT = 256
HOP = 128
WINDOW = np.hanning(N_FFT)


def talker(rng, harmonics=11):
    """One second of a voiced sound with a moving pitch."""
    time = np.arange(LENGTH) / SAMPLE_RATE
    base = rng.uniform(90.0, 240.0)
    pitch = base * (1.0 + 0.06 * np.sin(2 * np.pi * rng.uniform(1.5, 4.0) * time + rng.uniform(0, 6.28)))
    phase = 2 * np.pi * np.cumsum(pitch) / SAMPLE_RATE
    formants = np.array([rng.uniform(300, 800), rng.uniform(900, 2000), rng.uniform(2200, 3000)])
    signal = np.zeros(LENGTH)
    for harmonic in range(1, harmonics + 1):
        distance = (harmonic * base - formants) / 180.0
        weight = np.exp(-0.5 * distance ** 2).sum() + 0.15 / harmonic
        signal += weight * np.sin(harmonic * phase)
    rhythm = np.clip(np.sin(2 * np.pi * rng.uniform(2.5, 5.0) * time + rng.uniform(0, 6.28)) + 0.4, 0, None)
    return signal * rhythm


def noise(rng):
    kind = rng.integers(3)
    if kind == 0:  # cafeteria
        return sum(talker(rng, harmonics=9) for _ in range(4)) + 0.05 * rng.standard_normal(LENGTH)
    if kind == 1:  # wind on the microphone
        steps = rng.standard_normal(LENGTH)
        kernel = np.exp(-np.arange(160) / rng.uniform(15.0, 50.0))
        return np.convolve(steps, kernel)[:LENGTH]
    time = np.arange(LENGTH) / SAMPLE_RATE  # a fan
    hum = sum(np.sin(2 * np.pi * 50.0 * k * time + rng.uniform(0, 6.28)) / k for k in range(1, 30))
    return hum + 0.6 * rng.standard_normal(LENGTH)


def magnitudes(signal):
    frames = np.lib.stride_tricks.sliding_window_view(signal, N_FFT)[::HOP] * WINDOW
    return np.abs(np.fft.rfft(frames, axis=1)).T


def mixture(rng, speech, level_db):
    """(features, noisy, clean, ideal mask) with the talker at level_db over the noise."""
    disturbance = noise(rng)
    power = np.mean(speech ** 2) / (np.mean(disturbance ** 2) + 1e-12)
    disturbance *= np.sqrt(power * 10.0 ** (-level_db / 10.0))
    scale = 1.0 / (np.std(speech + disturbance) * 16.0)
    clean = magnitudes(speech * scale)
    other = magnitudes(disturbance * scale)
    noisy = magnitudes((speech + disturbance) * scale)
    target = np.sqrt(clean ** 2 / (clean ** 2 + other ** 2 + 1e-10))
    features = (np.log(noisy + 1e-3) + 3.0) / 2.0
    return tuple(torch.tensor(part, dtype=torch.float32) for part in (features, noisy, clean, target))


class TrainMixtures(Dataset):
    def __init__(self, utterances, seed, schedule):
        self.utterances = utterances
        self.seed = seed
        self.schedule = schedule

    def __len__(self):
        return self.utterances

    def __getitem__(self, request):
        utterance, take, step = request
        speech = talker(np.random.default_rng([self.seed, utterance]))
        rng = np.random.default_rng([self.seed, utterance, take + 1])
        level_db = self.schedule.at(step) + rng.uniform(-2.0, 2.0)
        return (*mixture(rng, speech, level_db), level_db)


class EvalMixtures:
    """The same utterances in one listening condition."""

    def __init__(self, utterances, level_db, seed):
        self.utterances = utterances
        self.level_db = level_db
        self.seed = seed

    def as_batch(self):
        parts = []
        for utterance in range(self.utterances):
            rng = np.random.default_rng([self.seed, utterance])
            speech = talker(rng)
            parts.append(mixture(rng, speech, float(self.level_db)))
        return tuple(torch.stack(column) for column in zip(*parts))
