"""Order spectra of gearbox vibration."""

import numpy as np


class SpectrumExtractor:
    """Averaged, windowed log spectra of a recording."""

    def __init__(self, frame=4096, hop=2048, bands=40):
        self.frame = frame
        self.hop = hop
        self.window = np.hanning(frame)
        edges = np.geomspace(3, frame // 2, bands + 1).astype(int)
        self.edges = np.unique(edges)
        self.scratch = None

    @property
    def bands(self):
        return len(self.edges) - 1

    def __call__(self, recording):
        starts = range(0, len(recording) - self.frame + 1, self.hop)
        if self.scratch is None or len(self.scratch) != len(starts):
            self.scratch = np.empty((len(starts), self.frame))
        frames = self.scratch
        for row, start in enumerate(starts):
            frames[row] = recording[start:start + self.frame]
        frames -= frames.mean(axis=1, keepdims=True)
        frames *= self.window
        power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
        mean = power.mean(axis=0)
        return np.log1p(np.add.reduceat(mean, self.edges[:-1])).astype(np.float32)
