"""Painted plaster with losses that grow in the course of training."""
import torch
from torch.utils.data import Dataset, Sampler

SIDE = 32


def paint(number, seed):
    generator = torch.Generator().manual_seed(seed * 100_003 + number)
    ramp = torch.linspace(0, 1, SIDE)
    hues = torch.rand(3, 1, 1, generator=generator)
    waves = torch.zeros(SIDE, SIDE)
    for layer in range(1, 17):
        a, b = torch.randint(1, 5, (2,), generator=generator).tolist()
        waves += torch.sin(6.28 * a * ramp)[:, None] * torch.cos(6.28 * b * ramp)[None, :] / layer
    return (0.5 + 0.35 * waves * (hues - 0.3) + 0.05 * torch.randn(3, SIDE, SIDE, generator=generator)).clamp(0, 1)


def lose(picture, wear, generator):
    """Knocks holes into a picture; wear goes from 0 to 1."""
    mask = torch.ones(1, SIDE, SIDE)
    for _ in range(3):
        side = int(3 + 13 * wear * torch.rand((), generator=generator).item() ** 0.5)
        top, left = torch.randint(0, SIDE - side, (2,), generator=generator).tolist()
        mask[:, top:top + side, left:left + side] = 0
    return picture * mask, mask


class Wear:
    """How worn the next pictures are: a little more after every batch."""

    def __init__(self, batches):
        self.value = torch.zeros(())
        self.step = 1.0 / batches

    def advance(self):
        self.value += self.step


class Walls(Dataset):
    def __init__(self, count, seed):
        self.count, self.seed = count, seed

    def __len__(self):
        return self.count

    def __getitem__(self, key):
        number, visit, wear = key
        generator = torch.Generator().manual_seed(self.seed + 7919 * number + 104_729 * visit)
        picture = paint(number, self.seed)
        worn, mask = lose(picture, wear, generator)
        return worn, mask, picture


class Rounds(Sampler):
    """Batches of shuffled walls, each with the number of the visit."""

    def __init__(self, count, batch, visits, seed, wear):
        self.count, self.batch, self.visits, self.wear = count, batch, visits, wear
        self.generator = torch.Generator().manual_seed(seed)

    def __len__(self):
        return self.visits * (self.count // self.batch)

    def __iter__(self):
        for visit in range(self.visits):
            order = torch.randperm(self.count, generator=self.generator).tolist()
            for start in range(0, self.count - self.batch + 1, self.batch):
                yield [(number, visit, self.wear.value.item()) for number in order[start:start + self.batch]]
                self.wear.advance()
