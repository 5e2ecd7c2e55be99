"""Shards of radar tiles over a glacier, streamed by the workers of a loader."""
import multiprocessing
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import IterableDataset

SIZE = 24


def write_shards(folder: Path, count: int, seed: int = 41) -> list[Path]:
    rng = np.random.default_rng(seed)
    rows, cols = np.mgrid[:SIZE, :SIZE] / SIZE
    paths = []
    for k in range(count):
        n = int(rng.integers(30, 70))
        images = rng.normal(0, 0.6, (n, SIZE, SIZE))
        labels = rng.random(n) < 0.5
        angle = rng.uniform(0, np.pi, n)[:, None, None]
        offset = rng.uniform(0.3, 0.7, n)[:, None, None]
        crack = np.exp(-((np.cos(angle) * rows + np.sin(angle) * cols - offset) ** 2) / 0.002)
        images -= 1.5 * crack * labels[:, None, None]
        path = folder / f"swath-{k:03d}.npz"
        np.savez_compressed(path, images=images.astype(np.float32), labels=labels)
        paths.append(path)
    return paths


class SwathStream(IterableDataset):
    """Each epoch passes over all shards, in an order of its own."""

    def __init__(self, shards: list[Path], seed: int):
        self.shards = shards
        self.seed = seed
        self.epoch = 0
        self.taken = multiprocessing.Value("i", 0)

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch
        self.taken.value = 0

    def turns(self):
        while True:
            with self.taken.get_lock():
                turn = self.taken.value
                self.taken.value += 1
            if turn >= len(self.shards):
                return
            yield turn

    def __iter__(self):
        order = np.random.default_rng((self.seed, self.epoch)).permutation(len(self.shards))
        for turn in self.turns():
            shard = int(order[turn])
            rng = np.random.default_rng((self.seed, self.epoch, shard))
            with np.load(self.shards[shard]) as data:
                images, labels = data["images"], data["labels"]
            for i in rng.permutation(len(images)):
                image = np.rot90(images[i], rng.integers(4))
                if rng.random() < 0.5:
                    image = image[:, ::-1]
                yield torch.from_numpy(image.copy())[None], float(labels[i])
