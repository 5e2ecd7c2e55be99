"""Two-channel recordings of foghorns as spectrograms; drawn once, then kept on disk."""
import os

import numpy as np
import torch

SIDES = ("port", "ahead", "starboard", "astern")
RATE, LENGTH, FRAME = 2000, 2000, 100


def record(rng, side):
    angle = np.pi / 2 * side + rng.normal(0, 0.25)
    delay = 4 * np.cos(angle)
    pitch = rng.uniform(90, 180)
    t = np.arange(LENGTH) / RATE
    ears = []
    for shift in (-delay / 2, delay / 2):
        phase = 2 * np.pi * pitch * (t - shift / RATE)
        loud = 1 + 0.3 * np.sin(angle)
        ears.append(loud * (np.sin(phase) + 0.5 * np.sin(2 * phase)) + rng.normal(0, 0.4, LENGTH))
    spectra = np.fft.rfft(np.reshape(ears, (2, -1, FRAME)) * np.hanning(FRAME))[..., :24]
    cross = spectra[0] * spectra[1].conj()
    return np.stack([np.log1p(np.abs(spectra[0])), np.log1p(np.abs(spectra[1])),
                     cross.real / 100, cross.imag / 100])


def load_clips(n, seed, path):
    if not path.exists():
        rng = np.random.default_rng(seed)
        sides = rng.integers(0, len(SIDES), n)
        sounds = np.stack([record(rng, side) for side in sides]).astype(np.float32)
        fresh = path.with_name(f"{os.getpid()}-{path.name}")
        np.savez(fresh, sounds=sounds, sides=sides)
        os.replace(fresh, path)
    with np.load(path) as kept:
        return torch.from_numpy(kept["sounds"]), torch.from_numpy(kept["sides"])
