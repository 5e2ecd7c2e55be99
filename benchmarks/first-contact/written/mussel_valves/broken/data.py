"""Valve-gape traces of instrumented mussels, cut into two-hour windows."""
from __future__ import annotations

import lightning as L
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

STATES = ("resting", "filtering", "fluttering", "closed")
WINDOW = 240  # one reading every 30 s


def gape_window(state: str, rng: np.random.Generator) -> np.ndarray:
    t = np.arange(WINDOW)
    base = rng.uniform(0.35, 0.7)
    if state == "resting":
        gape = base + 0.05 * np.sin(2 * np.pi * t / rng.uniform(150, 260))
    elif state == "filtering":
        gape = base + 0.15 + 0.08 * np.sin(2 * np.pi * t / rng.uniform(40, 80))
        for hit in rng.integers(0, WINDOW, rng.integers(1, 4)):
            gape -= 0.4 * np.exp(-np.abs(t - hit) / 3.0)
    elif state == "fluttering":
        gape = base + 0.12 * np.sign(np.sin(2 * np.pi * t / rng.uniform(7, 15)))
    else:
        gape = np.full(WINDOW, rng.uniform(0.02, 0.2))
        gape[: rng.integers(5, 90)] += base * 0.5
    return (gape + rng.normal(0, 0.06, WINDOW)).astype(np.float32)


def build_windows(count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = rng.choice(len(STATES), size=count, p=[0.3, 0.4, 0.12, 0.18])
    windows = np.stack([gape_window(STATES[k], rng) for k in labels])
    animals = rng.integers(0, 24, size=count)
    windows *= (0.8 + 0.02 * animals)[:, None].astype(np.float32)
    return windows, labels.astype(np.int64), animals


class GapeWindows(Dataset):
    def __init__(self, windows, labels, augment: bool = False):
        self.windows = windows
        self.labels = labels
        self.augment = augment
        self.rng = None

    def __len__(self):
        return len(self.labels)

    def _jitter(self, trace: np.ndarray) -> np.ndarray:
        if self.rng is None:  # one stream per loader worker
            self.rng = np.random.default_rng()
        rng = self.rng
        trace = np.roll(trace, rng.integers(-20, 21))
        trace = trace * rng.uniform(0.85, 1.15) + rng.normal(0, 0.02)
        if rng.random() < 0.3:  # magnet sensor drop-out
            start = rng.integers(0, WINDOW - 12)
            trace[start : start + 12] = trace[start]
        return trace.astype(np.float32)

    def __getitem__(self, i):
        trace = self.windows[i]
        if self.augment:
            trace = self._jitter(trace)
        return torch.from_numpy(trace.copy())[None], int(self.labels[i])


class GapeData(L.LightningDataModule):
    def __init__(self, count: int = 1800, batch_size: int = 32, workers: int = 2):
        super().__init__()
        self.count, self.batch_size, self.workers = count, batch_size, workers

    def setup(self, stage: str | None = None):
        windows, labels, animals = build_windows(self.count, seed=2024)
        held_out = {3, 9, 14, 20}  # animals never seen in training
        test = np.array([a in held_out for a in animals])
        self.train = GapeWindows(windows[~test], labels[~test], augment=True)
        self.val = GapeWindows(windows[test], labels[test])
        counts = np.bincount(labels[~test], minlength=len(STATES))
        self.class_weights = torch.tensor(counts.sum() / (len(STATES) * counts), dtype=torch.float32)

    def train_dataloader(self):
        return DataLoader(
            self.train,
            batch_size=self.batch_size,
            shuffle=True,
            num_workers=self.workers,
            persistent_workers=True,
            drop_last=True,
        )

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=128)
