"""Synthetic log-mel patches of parrot calls; some calls are much rarer than others."""

import torch
from torch.utils.data import Dataset

CALLS = {"contact": 0.46, "flight": 0.28, "begging": 0.16, "alarm": 0.07, "duet": 0.03}
BANDS, FRAMES = 24, 40


def contour(call, frames, g):
    """Band in which the call's energy lies, over time."""
    t = torch.linspace(0, 1, frames)
    shift = 4 * torch.rand(1, generator=g)
    return shift + {
        "contact": 8 + 6 * t,
        "flight": 14 - 6 * t,
        "begging": 10 + 3 * torch.sin(18 * t),
        "alarm": 12 + 5 * torch.sign(torch.sin(25 * t)),
        "duet": 8 + 8 * (2 * t - 1).abs(),
    }[call]


def record(count, seed):
    g = torch.Generator().manual_seed(seed)
    names, share = list(CALLS), torch.tensor(list(CALLS.values()))
    labels = torch.multinomial(share, count, replacement=True, generator=g)
    bands = torch.arange(BANDS).unsqueeze(1)
    patches = 0.9 * torch.randn(count, BANDS, FRAMES, generator=g)
    for row, label in enumerate(labels.tolist()):
        line = contour(names[label], FRAMES, g)
        patches[row] += 1.2 * torch.exp(-0.5 * ((bands - line) / 1.2) ** 2)
    return patches, labels


class CallSet(Dataset):
    def __init__(self, count, seed):
        self.patches, self.labels = record(count, seed)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.patches[index], self.labels[index]
