"""Accelerometer recordings from milling spindles, with the augmentations used in training."""
import logging
import random
import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

log = logging.getLogger(__name__)

STAGES = ["new", "run-in", "worn", "chipped"]
LENGTH = 640
WINDOW = 512


def simulate(n, seed):
    """Raw recordings at 10 kHz; tone and impact rate depend on the stage of wear."""
    t0 = time.time()
    rng = np.random.default_rng(seed)
    t = np.arange(LENGTH) / 10_000
    stage = rng.integers(0, len(STAGES), n)
    out = np.empty((n, LENGTH), dtype=np.float32)
    for i, s in enumerate(stage):
        f = 240 + rng.normal(0, 8)
        x = np.sin(2 * np.pi * f * t + rng.uniform(0, 6.28))
        x += (0.08 + 0.12 * s) * np.sin(2 * np.pi * 3 * f * t + rng.uniform(0, 6.28))
        impacts = rng.random(LENGTH) < 0.004 * s
        x += 1.5 * np.convolve(impacts, np.exp(-np.arange(24) / 5), mode="same")
        out[i] = x + rng.normal(0, 0.5, LENGTH)
    log.info("simulated %d recordings in %.2fs", n, time.time() - t0)
    return out, stage


class SpindleSet(Dataset):
    def __init__(self, recordings, stages, train):
        self.recordings = recordings
        self.stages = stages
        self.train = train

    def __len__(self):
        return len(self.recordings)

    def augment(self, x):
        start = random.randint(0, LENGTH - WINDOW)
        x = x[start:start + WINDOW] * np.random.uniform(0.8, 1.2)
        if random.random() < 0.5:
            x = -x
        x = x + np.random.normal(0, 0.1, WINDOW)
        if random.random() < 0.3:                       # sensor drop-out
            hole = random.randint(0, WINDOW - 40)
            x[hole:hole + 40] = 0
        return x

    def __getitem__(self, i):
        x = self.recordings[i]
        if self.train:
            x = self.augment(x)
        else:
            margin = (LENGTH - WINDOW) // 2
            x = x[margin:margin + WINDOW]
        return torch.tensor(x, dtype=torch.float32)[None], int(self.stages[i])


def seed_worker(worker_id):
    # the augmentations use both modules, and every worker has to draw its own numbers
    seed = torch.initial_seed() % 2**32
    random.seed(seed)
    np.random.seed(seed)


def make_loader(dataset, batch_size, workers, seed):
    return DataLoader(
        dataset,
        batch_size=batch_size,
        shuffle=dataset.train,
        num_workers=workers,
        worker_init_fn=seed_worker,
        generator=torch.Generator().manual_seed(seed),
    )
