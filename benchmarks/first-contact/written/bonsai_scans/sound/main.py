"""Tells bonsai species apart by scans of single leaves."""

import argparse
import logging
import tempfile
import time
import zlib
from dataclasses import dataclass

import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset, random_split

import archive

log = logging.getLogger("bonsai")


@dataclass
class Settings:
    scans: int = 640
    epochs: int = 3
    batch: int = 32
    lr: float = 4e-3
    seed: int = 23


class Scans(Dataset):
    def __init__(self, entries):
        self.entries = entries

    def __len__(self):
        return len(self.entries)

    def __getitem__(self, index):
        path, label = self.entries[index]
        with Image.open(path) as image:
            pixels = np.asarray(image, dtype=np.float32) / 255
        return torch.from_numpy(pixels)[None], label


def flip(images, generator):
    chosen = torch.rand(len(images), generator=generator) < 0.5
    return torch.where(chosen[:, None, None, None], images.flip(-1), images)


def make_net():
    return nn.Sequential(
        nn.Conv2d(1, 12, 5, stride=2, padding=2), nn.BatchNorm2d(12), nn.ReLU(),
        nn.Conv2d(12, 24, 3, stride=2, padding=1), nn.BatchNorm2d(24), nn.ReLU(),
        nn.Conv2d(24, 32, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten(),
        nn.Dropout(0.2), nn.Linear(512, len(archive.SPECIES)),
    )


def accuracy(net, part):
    net.eval()
    hits = 0
    with torch.no_grad():
        for images, labels in DataLoader(part, 64):
            hits += (net(images).argmax(1) == labels).sum().item()
    return hits / len(part)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=Settings.seed)
    parser.add_argument("--epochs", type=int, default=Settings.epochs)
    args = parser.parse_args()
    settings = Settings(seed=args.seed, epochs=args.epochs)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)
    augment = torch.Generator().manual_seed(settings.seed + 1)

    with tempfile.TemporaryDirectory(prefix="bonsai-") as folder:
        begun = time.perf_counter()
        entries = archive.open_archive(archive.build(folder, settings.scans, settings.seed))
        log.info("archive of %d scans in %s after %.2f s", len(entries), folder, time.perf_counter() - begun)
        train, held_out = random_split(
            Scans(entries), [0.8, 0.2], generator=torch.Generator().manual_seed(settings.seed)
        )
        loader = DataLoader(
            train, settings.batch, shuffle=True, num_workers=2, persistent_workers=True,
            generator=torch.Generator().manual_seed(settings.seed + 2),
        )
        net = make_net()
        optimizer = torch.optim.SGD(net.parameters(), lr=settings.lr * 10, momentum=0.9, nesterov=True)
        for epoch in range(settings.epochs):
            net.train()
            losses = []
            for images, labels in loader:
                loss = nn.functional.cross_entropy(net(flip(images, augment)), labels, label_smoothing=0.05)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            log.info("epoch %d took the time until now", epoch)
            print(f"epoch {epoch}: loss {np.mean(losses):.6f}")
        print(f"held-out accuracy {accuracy(net, held_out):.4f}")
        print(f"first hundred {accuracy(net, Subset(held_out, range(100))):.4f}")
    weights = torch.nn.utils.parameters_to_vector(net.parameters()).detach()
    print(f"weights crc {zlib.crc32(weights.numpy().tobytes()):08x}")


if __name__ == "__main__":
    main()
