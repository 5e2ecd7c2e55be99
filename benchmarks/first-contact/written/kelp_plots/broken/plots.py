"""Quadrat images of kelp plots: a few with a cover class, many without."""
import torch
from torch.utils.data import Dataset, TensorDataset

CLASSES = ["bare", "turf", "understory", "canopy"]


def render(labels, generator, size=12):
    grid = torch.linspace(0, 6.28, size)
    images = []
    for label in labels.tolist():
        phase = torch.rand(2, generator=generator) * 6.28
        wave = torch.sin((label + 1) * grid[None, :] + phase[0])
        wave = wave * torch.cos((label % 2 + 1) * grid[:, None] + phase[1])
        images.append(wave + 0.9 * torch.randn(size, size, generator=generator))
    return torch.stack(images).unsqueeze(1)


def make_plots(count, seed):
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(len(CLASSES), (count,), generator=generator)
    return TensorDataset(render(labels, generator), labels)


class UnlabelledPlots(Dataset):
    def __init__(self, count, seed):
        self.images, _ = make_plots(count, seed).tensors

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index]
