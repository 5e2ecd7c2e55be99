"""Disturbances of the EEG as they occur in the operating theatre."""
import numpy as np
import torch

from cohort import RATE, SAMPLES


class Theatre:
    def __init__(self, rng, blink=0.35, knife=0.2, loose=0.1):
        self.rng = rng
        self.blink = blink
        self.knife = knife
        self.loose = loose

    def _blinks(self, signal):
        time = np.arange(SAMPLES)
        for _ in range(1 + self.rng.poisson(1.0)):
            centre = self.rng.integers(0, SAMPLES)
            height = self.rng.uniform(1.5, 4.0)
            signal += height * np.exp(-0.5 * ((time - centre) / (0.12 * RATE)) ** 2)

    def _knife(self, signal):
        length = int(self.rng.integers(RATE // 2, 3 * RATE))
        begin = int(self.rng.integers(0, SAMPLES - length))
        signal[:, begin:begin + length] += self.rng.normal(0.0, self.rng.uniform(0.5, 2.0), (2, length))

    def _loose(self, signal):
        channel = self.rng.integers(2)
        begin = self.rng.integers(0, SAMPLES)
        signal[channel, begin:] = 0.05 * self.rng.standard_normal(SAMPLES - begin)

    def disturb(self, batch):
        """A disturbed copy of a batch of windows."""
        signals = batch.numpy().astype(np.float64)
        for signal in signals:
            happens = self.rng.random(3)
            if happens[0] < self.blink:
                self._blinks(signal)
            if happens[1] < self.knife:
                self._knife(signal)
            if happens[2] < self.loose:
                self._loose(signal)
        return torch.tensor(signals, dtype=torch.float32)
