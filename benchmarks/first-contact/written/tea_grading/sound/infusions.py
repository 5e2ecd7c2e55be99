"""Near-infrared spectra of tea infusions, with the grade that a panel gave."""
from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader, TensorDataset

GRADES = ("dust", "fannings", "broken", "leaf", "tippy")


@dataclass
class Panel:
    train: TensorDataset
    held_out: TensorDataset


def synthesise(n: int, bands: int, generator: torch.Generator):
    grade = torch.randint(len(GRADES), (n,), generator=generator)
    axis = torch.linspace(0, 1, bands)
    centre = 0.2 + 0.13 * grade.float()
    width = 0.08 + 0.02 * torch.rand(n, generator=generator)
    peak = torch.exp(-((axis - centre[:, None]) / width[:, None]) ** 2)
    slope = torch.randn(n, 1, generator=generator) * axis
    noise = 3.0 * torch.randn(n, bands, generator=generator)
    return peak + 0.3 * slope + noise, grade


def load_panel(seed: int, bands: int = 96) -> Panel:
    generator = torch.Generator().manual_seed(seed)
    x, y = synthesise(2400, bands, generator)
    mean, std = x[:2000].mean(0), x[:2000].std(0)
    x = (x - mean) / std
    return Panel(TensorDataset(x[:2000], y[:2000]), TensorDataset(x[2000:], y[2000:]))


def loaders(panel: Panel, batch_size: int, seed: int):
    shuffle = torch.Generator().manual_seed(seed + 1)
    train = DataLoader(panel.train, batch_size, shuffle=True, generator=shuffle, drop_last=True)
    return train, DataLoader(panel.held_out, 200)
