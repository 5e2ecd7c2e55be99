"""Train on handwritten digits in several processes, the same bits every time.

Each rank reads its own part of the images with `DistributedSampler`, augments them in loader
workers, and averages its gradients with the others' by `DistributedDataParallel`. All ranks build
the same model; each then draws dropout masks and augmentations of its own, from a seed that the
rank is part of.

    torchrun --nproc-per-node 2 examples/ddp.py
    samebits check torchrun --nproc-per-node 2 examples/ddp.py
"""

from __future__ import annotations

import argparse
import random

import numpy as np
import torch
import torch.distributed as dist
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

SEED = 0


class Digits(Dataset[tuple[Tensor, Tensor]]):
    """Images of shape (1, 8, 8), float32 in [0, 1], shifted at random, with labels 0 to 9."""

    def __init__(self, images: np.ndarray, labels: np.ndarray) -> None:
        self.images = (images / 16).astype(np.float32)
        self.labels = labels.astype(np.int64)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        image = np.roll(self.images[index], np.random.randint(-1, 2), axis=1)
        return torch.from_numpy(image)[None], torch.tensor(self.labels[index])


def seed_all(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def seed_worker(worker_id: int) -> None:
    """Give Python's and NumPy's generators in a worker the seed that torch chose for it."""
    seed = torch.initial_seed() % 2**32
    random.seed(seed)
    np.random.seed(seed)


def build_model() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, kernel_size=3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.25),
        nn.Linear(16 * 4 * 4, 10),
    )


def train_epoch(model: nn.Module, batches: DataLoader, optimizer: torch.optim.Optimizer) -> Tensor:
    """Return the mean loss over this rank's images, float32, shape ()."""
    model.train()
    losses = []
    for images, labels in batches:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses).mean()


def main() -> None:
    parser = argparse.ArgumentParser(description="Train on scikit-learn's digits in several ranks.")
    parser.add_argument("--epochs", type=int, default=2)
    epochs = parser.parse_args().epochs

    dist.init_process_group("gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()

    seed_all(SEED)  # the same on every rank: all build the same model
    model = DistributedDataParallel(build_model())
    seed_all(SEED + 1 + rank)  # of each rank's own: dropout, and the seeds of its workers

    digits = load_digits()
    data = Digits(digits.images, digits.target)
    sampler = DistributedSampler(data, num_replicas=ranks, rank=rank, shuffle=True, seed=SEED)
    batches = DataLoader(
        data, batch_size=32, sampler=sampler, num_workers=1, worker_init_fn=seed_worker
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        loss = train_epoch(model, batches, optimizer)
        dist.all_reduce(loss)
        if rank == 0:
            print(f"epoch {epoch + 1}  loss {loss.item() / ranks:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
