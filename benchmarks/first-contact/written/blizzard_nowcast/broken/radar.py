"""Snow bands that drift across a small radar window."""
import numpy as np
import torch


def snow_bands(n, size, frames, rng):
    yy, xx = np.mgrid[0:size, 0:size] / size
    out = np.zeros((n, frames, size, size), np.float32)
    for k in range(n):
        angle = rng.uniform(0, np.pi)
        speed = rng.uniform(0.02, 0.09)
        width = rng.uniform(0.06, 0.2)
        phase = rng.uniform(0, 1)
        growth = rng.normal(1.0, 0.05)
        across = np.cos(angle) * xx + np.sin(angle) * yy
        for t in range(frames):
            centre = (phase + speed * t) % 1.0
            gap = np.abs((across - centre + 0.5) % 1.0 - 0.5)
            out[k, t] = growth ** t * np.exp(-(gap / width) ** 2)
    out += rng.normal(0, 0.05, out.shape).astype(np.float32)
    return torch.from_numpy(out)


def split(frames, history):
    return frames[:, :history], frames[:, history:history + 1]
