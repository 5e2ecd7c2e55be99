import torch


def rings(n, g):
    """Two interlocked rings in three dimensions."""
    a = 2 * torch.pi * torch.rand(n, generator=g)
    zero = torch.zeros(n)
    first = torch.stack([a.cos() - 0.5, a.sin(), zero], 1)
    second = torch.stack([a.cos() + 0.5, zero, a.sin()], 1)
    pick = torch.rand(n, 1, generator=g) < 0.5
    return torch.where(pick, first, second) + 0.03 * torch.randn(n, 3, generator=g)


def energy_distance(a, b):
    cross = torch.cdist(a, b).mean()
    return (2 * cross - torch.cdist(a, a).mean() - torch.cdist(b, b).mean()).item()
