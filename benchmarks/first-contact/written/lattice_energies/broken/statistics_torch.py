"""Mean and variance of data that arrive in parts (Chan, Golub and LeVeque)."""

import torch


class RunningMoments:
    def __init__(self, features):
        self.count = 0
        self.mean = torch.zeros(features)
        self.squares = torch.zeros(features)

    def update(self, part):
        count = len(part)
        mean = part.mean(0)
        squares = ((part - mean) ** 2).sum(0)
        total = self.count + count
        shift = mean - self.mean
        self.mean = self.mean + shift * (count / total)
        self.squares = self.squares + squares + shift**2 * (self.count * count / total)
        self.count = total

    def std(self):
        return torch.sqrt(self.squares / (self.count - 1)) + 1e-4

    def normalise(self, x):
        return (x - self.mean) / self.std()
