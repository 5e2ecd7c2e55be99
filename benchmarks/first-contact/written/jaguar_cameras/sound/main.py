"""Individual recognition of jaguars from camera-trap crops (rosette patterns)."""

import argparse
import logging
import random
import time
from dataclasses import replace

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from recipe import Recipe

log = logging.getLogger("jaguars")
ANIMALS = ["Amaru", "Brisa", "Corda", "Dendê", "Esperança", "Fiel"]


def rosettes(animal, size=28):
    """The coat of one animal: fixed for life."""
    rng = np.random.default_rng([2024, animal])
    yy, xx = np.mgrid[:size, :size]
    coat = np.zeros((size, size))
    for _ in range(11):
        cy, cx = rng.uniform(2, size - 2, 2)
        radius = rng.uniform(1.5, 3.5)
        distance = np.hypot(yy - cy, xx - cx)
        coat += np.exp(-((distance - radius) ** 2))
    return coat


class Crops(Dataset):
    def __init__(self, count, seed, augment):
        rng = np.random.default_rng(seed)
        coats = [rosettes(a) for a in range(len(ANIMALS))]
        self.labels = rng.integers(len(ANIMALS), size=count)
        self.images = np.stack([
            coats[a] * rng.uniform(0.6, 1.3) + rng.normal(0, 0.45, coats[a].shape) for a in self.labels
        ]).astype(np.float32)
        self.augment = augment

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        image = torch.from_numpy(self.images[i])[None]
        if self.augment:
            shift = random.randint(-2, 2), random.randint(-2, 2)
            image = torch.roll(image, shift, dims=(1, 2))
            image = image * (0.8 + 0.4 * torch.rand(()))
        return image, int(self.labels[i])


class CoatNet(nn.Module):
    def __init__(self, recipe):
        super().__init__()
        widths = (1, *recipe.channels)
        self.convs = nn.ModuleList(nn.Conv2d(a, b, 3, padding=1) for a, b in zip(widths, widths[1:]))
        self.act = recipe.activation
        self.drop = nn.Dropout(recipe.dropout)
        self.head = nn.Linear(recipe.channels[-1] * 9, len(ANIMALS))

    def forward(self, x):
        for conv in self.convs:
            x = nn.functional.max_pool2d(self.act(conv(x)), 2)
        return self.head(self.drop(x.flatten(1)))


def worker_seed(_):
    random.seed(torch.initial_seed() % 2**32)


def train(recipe, pictures, held_out):
    random.seed(recipe.seed())
    torch.manual_seed(recipe.seed())
    model = CoatNet(recipe)
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.lr, weight_decay=recipe.weight_decay)
    loader = DataLoader(pictures, batch_size=recipe.batch, shuffle=True, num_workers=2,
                        worker_init_fn=worker_seed, persistent_workers=True)
    for epoch in range(recipe.epochs):
        began, total = time.perf_counter(), 0.0
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(labels)
        rate = len(pictures) / (time.perf_counter() - began)
        log.info("epoch %d loss %.5f (%.0f crops/s)", epoch, total / len(pictures), rate)
    model.eval()
    with torch.no_grad():
        images, labels = next(iter(DataLoader(held_out, batch_size=len(held_out))))
        scores = model(images)
        right = (scores.argmax(1) == labels).float().mean().item()
        loss = nn.functional.cross_entropy(scores, labels).item()
    return model, right, loss


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--crops", type=int, default=640)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--repeat", type=int, default=0, help="number of the repetition")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")

    recipe = replace(Recipe(), epochs=args.epochs, repeat=args.repeat)
    pictures = Crops(args.crops, seed=11, augment=True)
    held_out = Crops(192, seed=12, augment=False)
    log.info("%d crops of %d animals", len(pictures), len(ANIMALS))
    model, right, loss = train(recipe, pictures, held_out)
    norm = sum(p.detach().double().abs().sum().item() for p in model.parameters())
    print(f"held out: {right:.3f} right, loss {loss:.8f}, weights {norm:.8f}")


if __name__ == "__main__":
    main()
