"""Waveform augmentation on a pool of threads."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy import signal


class Augmenter:
    """Makes a clip sound as if it came from another kennel."""

    def __init__(self, rate, seed, threads=4):
        self.rate = rate
        self.seed = seed
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="augment")
        self.low = signal.butter(2, 0.25, output="sos")
        self.clips = 0

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.pool.shutdown()

    def one(self, clip, epoch, index):
        rng = np.random.default_rng([self.seed, epoch, index])
        clip = np.roll(clip, rng.integers(-self.rate // 20, self.rate // 20))
        if rng.random() < 0.4:
            clip = signal.sosfilt(self.low, clip)
        hiss = rng.standard_normal(clip.shape) * rng.uniform(0.01, 0.08)
        return (clip * rng.uniform(0.7, 1.3) + hiss).astype(np.float32)

    def batch(self, clips, epoch, indices):
        """Augments the clips side by side; results come in the order of the clips."""
        self.clips += len(indices)
        return np.stack(list(self.pool.map(self.one, clips, [epoch] * len(indices), indices)))
