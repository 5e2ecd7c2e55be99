"""Clips as log spectrograms, with augmentation that depends on the clip and the epoch only, not on the worker."""
import wave
import zlib

import numpy as np
import torch
from torch.utils.data import Dataset, Sampler


class BalancedSampler(Sampler):
    """Every call type equally often; yields (epoch, index), for the workers do not know the epoch."""

    def __init__(self, labels, seed):
        self.labels = np.asarray(labels)
        self.seed = seed
        self.epoch = 0

    def __len__(self):
        return len(self.labels)

    def __iter__(self):
        rng = np.random.default_rng([self.seed, self.epoch])
        share = 1 / np.bincount(self.labels)[self.labels]
        for i in rng.choice(len(self.labels), len(self.labels), p=share / share.sum()):
            yield self.epoch, int(i)


class CallClips(Dataset):
    def __init__(self, items, rate, augment=False):
        self.items = items
        self.rate = rate
        self.augment = augment

    def __len__(self):
        return len(self.items)

    def __getitem__(self, key):
        epoch, i = key if isinstance(key, tuple) else (0, key)
        clip, label = self.items[i]
        sound = self._read(clip)
        if self.augment:
            rng = np.random.default_rng(zlib.crc32(f"{clip}@{epoch}".encode()))
            sound = self._disturb(sound, rng)
        frames = np.lib.stride_tricks.sliding_window_view(sound, 64)[::32] * np.hanning(64).astype("f4")
        spec = np.log1p(np.abs(np.fft.rfft(frames, axis=1))).T
        return torch.tensor(spec, dtype=torch.float32), label

    def _read(self, clip):
        with wave.open(str(clip), "rb") as w:
            raw = w.readframes(w.getnframes())
        return np.frombuffer(raw, "<i2").astype("f4") / 32768

    def _disturb(self, sound, rng):
        sound = np.roll(sound, rng.integers(-self.rate // 10, self.rate // 10))
        return sound * rng.uniform(0.6, 1.4) + rng.normal(0, 0.02, len(sound)).astype("f4")
