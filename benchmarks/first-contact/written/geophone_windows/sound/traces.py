"""Windows over one long geophone trace, kept on disk."""
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from scipy.signal import get_window
from torch.utils.data import Dataset


@dataclass
class Recording:
    trace: Path
    events: np.ndarray


def record(folder, length, seed):
    """Background noise with bursts of a passing source in it, and a few electrical spikes."""
    rng = np.random.default_rng(seed)
    trace = np.lib.format.open_memmap(folder / "trace.npy", "w+", np.float32, (length,))
    trace[:] = np.convolve(rng.standard_normal(length), [0.2, 0.5, 0.3], "same")
    events = np.sort(rng.choice(np.arange(500, length - 500, 150), length // 900, replace=False))
    ramp = np.arange(200)
    for start in events:
        period = rng.uniform(9, 16)
        trace[start : start + 200] += 2.2 * np.sin(2 * np.pi * ramp / period) * np.exp(-ramp / 70)
    trace[rng.choice(length, 40, replace=False)] = 250.0
    trace.flush()
    return Recording(folder / "trace.npy", events)


class Windows(Dataset):
    def __init__(self, recording, size=256, hop=64):
        self.trace = np.load(recording.trace, mmap_mode="r+")
        self.size, self.hop = size, hop
        self.count = (len(self.trace) - size) // hop + 1
        self.taper = get_window(("tukey", 0.2), size).astype(np.float32)
        starts = np.arange(self.count) * hop
        nearest = np.searchsorted(recording.events, starts)
        nearest = recording.events[np.minimum(nearest, len(recording.events) - 1)]
        self.labels = torch.from_numpy(((nearest >= starts) & (nearest < starts + size // 2)).astype(np.float32))

    def despike(self, limit=50.0):
        spikes = np.flatnonzero(np.abs(self.trace) > limit)
        self.trace[spikes] = 0.0
        self.trace.flush()
        return len(spikes)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        start = index * self.hop
        window = np.array(self.trace[start : start + self.size])
        window -= window.mean()
        window /= window.std() + 0.05
        window *= self.taper
        return torch.from_numpy(window), self.labels[index]
