"""Waveform augmentation and log filterbank features."""

from dataclasses import dataclass

import numpy as np
from scipy import fft, signal

RATE = 8000


@dataclass(frozen=True)
class AugmentConfig:
    max_shift: int = 400
    snr_db: tuple[float, float] = (5.0, 20.0)
    echo: tuple[float, float] = (0.05, 0.35)
    seed: int = 77


class Augmenter:
    """Shift, echo and noise, as in a call centre. One object serves all feature threads."""

    def __init__(self, config):
        self.config = config
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __call__(self, index, wave):
        rng = np.random.default_rng([self.config.seed, self.epoch, index])
        shift = int(rng.integers(-self.config.max_shift, self.config.max_shift))
        wave = np.roll(wave, shift)

        strength = rng.uniform(*self.config.echo)
        kernel = np.zeros(800)
        kernel[0], kernel[rng.integers(200, 800)] = 1.0, strength
        wave = signal.fftconvolve(wave, kernel)[: len(wave)]

        snr = rng.uniform(*self.config.snr_db)
        noise = rng.standard_normal(len(wave))
        level = np.sqrt((wave**2).mean() / 10 ** (snr / 10))
        return wave + level * noise


def filterbank(bands=24, size=512):
    edges = np.linspace(80, RATE / 2, bands + 2)
    freqs = np.linspace(0, RATE / 2, size // 2 + 1)
    rising = (freqs - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - freqs) / (edges[2:] - edges[1:-1])[:, None]
    return np.clip(np.minimum(rising, falling), 0, None)


def log_bands(wave, bank, size=512, hop=160):
    starts = range(0, len(wave) - size, hop)
    frames = np.stack([wave[s : s + size] for s in starts]) * np.hanning(size)
    power = np.abs(fft.rfft(frames, axis=1)) ** 2
    return np.log(power @ bank.T + 1e-6).astype(np.float32)
