"""Folded pulse profiles; half of them of pulsars, half of interference."""
import torch
from torch.utils.data import Dataset


class Profiles(Dataset):
    def __init__(self, cfg):
        g = torch.Generator().manual_seed(cfg.seed)
        n, bins = cfg.observations, cfg.bins
        self.label = torch.arange(n) % 2
        phase = torch.rand(n, 1, 1, generator=g)
        drift = 0.5 * torch.rand(n, 1, 1, generator=g) * (1 - self.label).view(-1, 1, 1)
        when = torch.linspace(0, 1, cfg.sub_integrations).view(1, -1, 1)
        axis = torch.linspace(0, 1, bins).view(1, 1, -1)
        away = (axis - phase - drift * when + 0.5) % 1 - 0.5
        pulse = torch.exp(-(away / 0.04) ** 2)
        self.fold = pulse + 0.9 * torch.randn(n, cfg.sub_integrations, bins, generator=g)

    def __len__(self):
        return len(self.label)

    def __getitem__(self, i):
        return self.fold[i], self.label[i]


class Jitter:
    """Turns each fold by some bins and adds receiver noise."""

    def __init__(self, strength: float):
        self.strength = strength

    def __call__(self, fold):
        turn = int(torch.randint(fold.shape[-1], ()))
        return fold.roll(turn, dims=-1) + self.strength * torch.randn_like(fold)
