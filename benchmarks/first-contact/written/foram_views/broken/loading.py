import torch
from torch.utils.data import DataLoader, Dataset, Sampler

from shells import shell, view


class Slides(Dataset):
    """Two views of a shell. What is drawn for them depends on the epoch and the shell alone."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, key):
        epoch, index = key
        image, _ = shell(index)
        g = torch.Generator().manual_seed(epoch * 1_000_003 + index)
        return torch.stack([view(image, g), view(image, g)])[:, None]


class EpochSampler(Sampler):
    def __init__(self, count, seed):
        self.count, self.seed, self.epoch = count, seed, 0

    def __len__(self):
        return self.count

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed + self.epoch)
        for index in torch.randperm(self.count, generator=g).tolist():
            yield self.epoch, index
        self.epoch += 1


def slide_loader(count, batch_size, seed, workers):
    return DataLoader(
        Slides(count),
        batch_size=batch_size,
        sampler=EpochSampler(count, seed),
        num_workers=workers,
        drop_last=True,
        prefetch_factor=4,
        persistent_workers=True,
        in_order=False,
    )
