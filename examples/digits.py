"""Train a small convolutional network on handwritten digits, the same bits every time.

The 1797 images of 8 by 8 pixels ship with scikit-learn, so nothing is downloaded. Every source of
randomness is seeded as PyTorch's notes on reproducibility say: the three global generators, the
order of the batches, and the generators of the loader's worker processes.

    python examples/digits.py --epochs 3
    samebits check examples/digits.py
"""

from __future__ import annotations

import argparse
import random

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset[tuple[Tensor, Tensor]]):
    """Images of shape (1, 8, 8), float32 in [0, 1], with labels 0 to 9, int64."""

    def __init__(self, images: np.ndarray, labels: np.ndarray, *, augment: bool) -> None:
        self.images = (images / 16).astype(np.float32)
        self.labels = labels.astype(np.int64)
        self.augment = augment

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        image = self.images[index]
        if self.augment:
            # NumPy's global generator, in a worker process: seed_worker below is what seeds it.
            image = np.roll(image, np.random.randint(-1, 2), axis=1)
        return torch.from_numpy(image)[None], torch.tensor(self.labels[index])


def seed_worker(worker_id: int) -> None:
    """Give Python's and NumPy's generators in a worker the seed that torch chose for it."""
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)


def build_model() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, kernel_size=3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 32, kernel_size=3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.25),
        nn.Linear(32 * 4 * 4, 10),
    )


def train_epoch(model: nn.Module, batches: DataLoader, optimizer: torch.optim.Optimizer) -> float:
    """Return the mean loss over one pass of the training images."""
    model.train()
    total = 0.0
    for images, labels in batches:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(labels)
    return total / len(batches.dataset)


@torch.no_grad()
def accuracy(model: nn.Module, batches: DataLoader) -> float:
    """Return the share of images that the model labels correctly."""
    model.eval()
    correct = sum(int((model(images).argmax(1) == labels).sum()) for images, labels in batches)
    return correct / len(batches.dataset)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train on scikit-learn's handwritten digits.")
    parser.add_argument("--epochs", type=int, default=3)
    epochs = parser.parse_args().epochs

    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)

    digits = load_digits()
    order = np.random.permutation(len(digits.target))
    train, test = order[:1437], order[1437:]

    train_batches = DataLoader(
        Digits(digits.images[train], digits.target[train], augment=True),
        batch_size=32,
        shuffle=True,
        num_workers=2,
        persistent_workers=True,
        worker_init_fn=seed_worker,
        generator=torch.Generator().manual_seed(0),
    )
    test_batches = DataLoader(
        Digits(digits.images[test], digits.target[test], augment=False), batch_size=120
    )

    model = build_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for epoch in range(1, epochs + 1):
        loss = train_epoch(model, train_batches, optimizer)
        print(f"epoch {epoch}  loss {loss:.4f}  accuracy {accuracy(model, test_batches):.3f}")


if __name__ == "__main__":
    main()
