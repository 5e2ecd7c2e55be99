"""Tell rotor faults apart from short accelerometer windows."""
import json
import logging
import pickle
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import registry

log = logging.getLogger("rotor")
FAULTS = ["healthy", "unbalance", "misalignment", "bearing", "looseness"]


@dataclass
class Config:
    seed: int = 11
    windows: int = 720
    length: int = 512
    rate: float = 1024.0
    epochs: int = 25
    batch_size: int = 32
    learning_rate: float = 3e-3
    plugins: list = field(default_factory=lambda: ["descriptors"])
    skip: tuple = ("lag",)


def record(config):
    rng = np.random.default_rng(config.seed)
    t = np.arange(config.length) / config.rate
    labels = rng.integers(0, len(FAULTS), size=config.windows)
    signals = rng.normal(0.0, 0.6, size=(config.windows, config.length))
    for signal, label in zip(signals, labels):
        speed = rng.uniform(22, 32)
        phase = rng.uniform(0, 2 * np.pi)
        signal += 0.8 * np.sin(2 * np.pi * speed * t + phase)
        if label == 1:
            signal += rng.uniform(0.3, 1.2) * np.sin(2 * np.pi * speed * t + phase)
        elif label == 2:
            signal += rng.uniform(0.3, 1.0) * np.sin(4 * np.pi * speed * t + phase)
        elif label == 3:
            signal += 1.5 * (np.sin(2 * np.pi * 3.6 * speed * t) > 0.985) * rng.normal(1.0, 0.3, len(t))
        elif label == 4:
            signal += rng.uniform(0.2, 0.6) * np.sign(np.sin(np.pi * speed * t + phase))
    return signals, labels


def describe(signals, descriptors, rate):
    return np.array([[d(signal + d.rng.normal(0.0, 0.02, len(signal)), rate) for d in descriptors] for signal in signals])


def table_of(signals, descriptors, config, cache):
    path = cache / "table.pkl"
    if not path.exists():
        with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
            parts = pool.map(partial(describe, descriptors=descriptors, rate=config.rate),
                             np.array_split(signals, 6))
            table = np.concatenate(list(parts))
        path.write_bytes(pickle.dumps(table))
    return pickle.loads(path.read_bytes())


class Standardize:
    def __init__(self, table):
        self.mean, self.std = table.mean(axis=0), table.std(axis=0) + 1e-9

    def __call__(self, table):
        return torch.from_numpy(((table - self.mean) / self.std).astype(np.float32))


def confusion(model, x, y):
    model.eval()
    with torch.no_grad():
        guess = model(x).argmax(dim=1)
    model.train()
    return torch.bincount(y * len(FAULTS) + guess, minlength=len(FAULTS) ** 2).view(len(FAULTS), -1)


def main():
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(name)s %(message)s")
    config = Config()
    log.info("config %s", json.dumps(asdict(config)))
    torch.manual_seed(config.seed)
    torch.set_num_threads(1)

    descriptors = registry.load(*config.plugins, seed=config.seed, skip=config.skip)
    signals, labels = record(config)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as cache:
        table = table_of(signals, descriptors, config, Path(cache))
    log.info("%d descriptors of %d windows in %.2f s", len(descriptors), len(table),
             time.perf_counter() - started)

    cut = config.windows * 3 // 4
    scale = Standardize(table[:cut])
    x, y = scale(table), torch.from_numpy(labels)
    loader = DataLoader(TensorDataset(x[:cut], y[:cut]), batch_size=config.batch_size, shuffle=True,
                        generator=torch.Generator().manual_seed(config.seed))
    model = nn.Sequential(nn.Linear(x.shape[1], 32), nn.GELU(), nn.Dropout(0.1), nn.Linear(32, len(FAULTS)))
    optimizer = torch.optim.Adam(model.parameters(), lr=config.learning_rate)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
    for epoch in range(config.epochs):
        total = 0.0
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = criterion(model(xb), yb)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(yb)
        if epoch % 5 == 4:
            log.info("epoch %d loss %.6f", epoch + 1, total / cut)

    matrix = confusion(model, x[cut:], y[cut:])
    recall = matrix.diag() / matrix.sum(dim=1).clamp(min=1)
    for name, value in zip(FAULTS, recall.tolist()):
        log.info("recall %-13s %.3f", name, value)
    print(f"final loss {total / cut:.8f}")


if __name__ == "__main__":
    main()
