"""Synthetic plasma shots: currents in the poloidal coils -> elongation, radius, safety factor."""
import torch

COILS = 14
TARGETS = ("elongation", "major_radius", "q95")


def make_shots(count, seed):
    g = torch.Generator().manual_seed(seed)
    currents = torch.randn(count, COILS, generator=g)
    mix = torch.randn(COILS, 3, generator=torch.Generator().manual_seed(9001)) / COILS ** 0.5
    z = currents @ mix
    y = torch.stack([1.7 + 0.3 * torch.tanh(z[:, 0] + z[:, 1] * z[:, 2]),
                     1.65 + 0.1 * torch.sin(2 * z[:, 1]),
                     3.5 + z[:, 2] ** 2 - 0.5 * z[:, 0]], dim=1)
    y = y + 0.02 * torch.randn(y.shape, generator=g)
    return currents, y


class ShotSampler:
    """Each rank walks through its own part of one permutation that all ranks share."""

    def __init__(self, count, batch, rank, world, seed):
        self.count, self.batch, self.rank, self.world, self.seed = count, batch, rank, world, seed

    def epoch(self, number):
        g = torch.Generator().manual_seed(self.seed * 1000 + number)
        mine = torch.randperm(self.count, generator=g)[self.rank::self.world]
        for start in range(0, len(mine) - self.batch + 1, self.batch):
            yield mine[start:start + self.batch]
