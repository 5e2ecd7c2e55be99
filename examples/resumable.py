"""Train on handwritten digits; interrupted or not, the run ends with the same bits.

Stop it at any moment, with Ctrl-C or with SIGKILL, and start it again with the same command: it
goes on from the last checkpoint. Augmentations draw from Python's, NumPy's and torch's generators
in worker processes, the network has dropout, and the learning rate follows a schedule; all of it
continues where it was.

    python examples/resumable.py --checkpoints ckpt
    samebits check examples/resumable.py
"""

from __future__ import annotations

import argparse
import random

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.utils.data import Dataset

import samebits


class Digits(Dataset[tuple[Tensor, Tensor]]):
    """Images of shape (1, 8, 8), float32 in [0, 1], with labels 0 to 9, int64."""

    def __init__(self, images: np.ndarray, labels: np.ndarray, *, augment: bool) -> None:
        self.images = (images / 16).astype(np.float32)
        self.labels = labels.astype(np.int64)
        self.augment = augment

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        image = torch.from_numpy(self.images[index])[None]
        if self.augment:
            # Nothing is seeded for this: the loader does it for each sample.
            image = image.roll(random.randint(-1, 1), dims=1)
            image = image.roll(int(np.random.randint(-1, 2)), dims=2)
            image = image + 0.05 * torch.randn(image.shape)
        return image, torch.tensor(self.labels[index])


def build_model() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, kernel_size=3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.25),
        nn.Linear(16 * 4 * 4, 10),
    )


@torch.no_grad()
def accuracy(model: nn.Module, batches: samebits.DataLoader) -> float:
    """Return the share of images that the model labels correctly."""
    model.eval()
    correct = sum(int((model(images).argmax(1) == labels).sum()) for images, labels in batches)
    model.train()
    return correct / len(batches.dataset)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train on digits, resumably.")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--checkpoints", metavar="FOLDER", help="save here, and go on from here")
    arguments = parser.parse_args()

    samebits.seed_everything(0)
    digits = load_digits()
    train = Digits(digits.images[:1437], digits.target[:1437], augment=True)
    test = Digits(digits.images[1437:], digits.target[1437:], augment=False)
    train_batches = samebits.DataLoader(train, batch_size=32, shuffle=True, num_workers=2, seed=0)
    test_batches = samebits.DataLoader(test, batch_size=120)

    model = build_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, arguments.epochs * 45)
    # What the loop hands to what stands behind it: a resumed epoch may have no batch left.
    last = {"loss": float("nan")}
    run = None
    epochs = range(arguments.epochs)
    if arguments.checkpoints:
        run = samebits.Checkpoint(
            arguments.checkpoints,
            model=model,
            optimizer=optimizer,
            scheduler=scheduler,
            loader=train_batches,
            last=last,
        )
        run.restore()
        epochs = run.epochs(arguments.epochs)

    for epoch in epochs:
        for images, labels in train_batches:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            scheduler.step()
            last["loss"] = loss.item()
            if run is not None:
                run.save(every=10)
        score = accuracy(model, test_batches)
        print(f"epoch {epoch}  loss {last['loss']:.4f}  accuracy {score:.3f}")
    print(f"parameters {samebits.fingerprint(model)}")


if __name__ == "__main__":
    main()
