import numpy as np


class Moments:
    """Running mean and variance of the columns (Chan's update)."""

    def __init__(self, width):
        self.n = 0
        self.mean = np.zeros(width)
        self.m2 = np.zeros(width)

    def update(self, block):
        n = self.n + len(block)
        delta = block.mean(axis=0) - self.mean
        self.m2 = self.m2 + block.var(axis=0) * len(block) + delta ** 2 * self.n * len(block) / n
        self.mean = self.mean + delta * len(block) / n
        self.n = n

    def std(self):
        return np.sqrt(self.m2 / self.n) + 1e-8

    def apply(self, x):
        return (x - self.mean) / self.std()
