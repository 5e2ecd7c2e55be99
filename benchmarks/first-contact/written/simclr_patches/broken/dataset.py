import math

import torch
from torch.utils.data import Dataset


def blob(kind, g):
    yy, xx = torch.meshgrid(torch.linspace(-1, 1, 16), torch.linspace(-1, 1, 16), indexing="ij")
    cx, cy = (torch.rand(2, generator=g) - 0.5).tolist()
    r = ((xx - cx) ** 2 + (yy - cy) ** 2).sqrt()
    angle = torch.atan2(yy - cy, xx - cx)
    lobes = kind + 2
    return torch.exp(-4 * (r - 0.4 - 0.15 * torch.cos(lobes * angle)) ** 2)


class Patches(Dataset):
    """Two views of every patch. The views of a patch are the same in every epoch of the same number."""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.labels = [i % 4 for i in range(n)]
        self.names = [f"patch_{i:05d}" for i in range(n)]
        self.images = [blob(k, g) for k in self.labels]
        self.epoch = 0

    def __len__(self):
        return len(self.images)

    def view(self, index, number):
        g = torch.Generator()
        g.manual_seed(hash((self.names[index], self.epoch, number)) % 2**63)
        img = self.images[index]
        dx, dy = torch.randint(-2, 3, (2,), generator=g).tolist()
        img = torch.roll(img, (dx, dy), (0, 1))
        img = torch.rot90(img, int(torch.randint(4, (1,), generator=g)))
        gain = math.exp(0.3 * torch.randn(1, generator=g).item())
        return (gain * img + 0.1 * torch.randn(16, 16, generator=g)).unsqueeze(0)

    def __getitem__(self, index):
        return self.view(index, 0), self.view(index, 1), self.labels[index]
