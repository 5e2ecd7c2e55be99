"""Strokes on a marimba, made up from their partials, and their augmentation on a pool of threads."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from scipy import signal

RATE, LENGTH = 8000, 2048
MALLETS = ("yarn", "cord", "rubber", "birch")


def strike(mallet: int, rng: np.random.Generator) -> np.ndarray:
    t = np.arange(LENGTH) / RATE
    base = 110 * 2 ** (rng.integers(0, 24) / 12)
    wave = np.zeros(LENGTH)
    for n, ratio in enumerate((1.0, 3.93, 9.24)):
        wave += (0.25 + 0.2 * mallet) ** n * np.exp(-t * (6 + 9 * n)) * np.sin(2 * np.pi * base * ratio * t)
    return (wave + 0.02 * rng.standard_normal(LENGTH)).astype(np.float32)


class StrokeBank:
    def __init__(self, count: int, seed: int, threads: int = 4) -> None:
        self.seed = seed
        self.rng = np.random.default_rng(seed)
        self.labels = torch.from_numpy(self.rng.integers(0, len(MALLETS), count))
        self.waves = [strike(int(m), self.rng) for m in self.labels]
        self.order = np.random.default_rng(seed + 1)
        self.threads = threads

    def _augment(self, epoch: int, i: int) -> np.ndarray:
        rng = np.random.default_rng((self.seed, epoch, i))
        wave = np.roll(self.waves[i], int(rng.integers(0, 200)))
        taps = signal.firwin(63, rng.uniform(1500, 3500), fs=RATE)
        wave = signal.fftconvolve(wave, taps, mode="same") * 10 ** rng.uniform(-0.5, 0.5)
        wave = wave + rng.uniform(0, 0.05) * rng.standard_normal(LENGTH)
        _, _, spec = signal.stft(wave, RATE, nperseg=128, noverlap=64)
        return np.log1p(50 * np.abs(spec)).astype(np.float32)

    def batches(self, epoch: int, size: int):
        order = self.order.permutation(len(self.waves))
        with ThreadPoolExecutor(self.threads) as pool:
            for start in range(0, len(order), size):
                chosen = order[start:start + size]
                specs = list(pool.map(lambda i: self._augment(epoch, int(i)), chosen))
                yield torch.from_numpy(np.stack(specs)), self.labels[chosen]
