"""Synthetic hydrophone clips and the augmentation used late in training."""
import numpy as np

CLASSES = ("quiet", "pinhole", "joint", "burst")


def _band_noise(rng, length, low, high):
    spectrum = np.fft.rfft(rng.standard_normal(length))
    freqs = np.fft.rfftfreq(length)
    spectrum[(freqs < low) | (freqs > high)] = 0
    return np.fft.irfft(spectrum, length)


def make_clips(n_per_class, length, seed):
    rng = np.random.default_rng(seed)
    bands = {"quiet": (0.0, 0.03), "pinhole": (0.25, 0.40), "joint": (0.12, 0.30), "burst": (0.02, 0.22)}
    clips, labels = [], []
    for label, name in enumerate(CLASSES):
        for _ in range(n_per_class):
            hum = 0.4 * np.sin(2 * np.pi * 0.01 * np.arange(length) + rng.uniform(0, 6.28))
            leak = _band_noise(rng, length, *bands[name]) * rng.uniform(0.3, 1.0)
            clips.append(hum + leak + 0.5 * rng.standard_normal(length))
            labels.append(label)
    return np.asarray(clips, dtype=np.float32), np.asarray(labels, dtype=np.int64)


class Augmenter:
    """Random circular shift, gain and hiss, different for each clip of a batch."""

    def __init__(self, seed, max_shift, noise):
        self.rng = np.random.default_rng(seed)
        self.max_shift = max_shift
        self.noise = noise

    def __call__(self, batch):
        out = np.empty_like(batch)
        for row, clip in enumerate(batch):
            shift = self.rng.integers(-self.max_shift, self.max_shift + 1)
            out[row] = np.roll(clip, shift) * self.rng.uniform(0.7, 1.3)
        out += self.noise * self.rng.standard_normal(out.shape, dtype=np.float32)
        return out
