"""From particles to the grid: linear weighting to the two nearest cells."""
import torch


def charge_density(x, q, cells):
    s = x * cells
    left = s.long() % cells
    right = (left + 1) % cells
    w = s - s.floor()
    grid = torch.zeros(cells)
    cell, share = torch.cat([left, right]), torch.cat([q * (1 - w), q * w])
    grid.index_put_((cell,), share, accumulate=True)
    count = torch.zeros(cells, dtype=torch.long)
    count.index_put_((left,), torch.ones_like(left), accumulate=True)
    density = grid * cells / q.sum()
    return density - density.mean(), count
