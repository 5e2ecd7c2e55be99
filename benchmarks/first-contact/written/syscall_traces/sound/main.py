"""Detect ransomware from the system calls of a process (synthetic traces)."""
import json
import os
import random
import tempfile
import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import mining

CALLS = ["open", "read", "write", "rename", "unlink", "mmap", "stat", "getdents", "socket", "close", "fsync", "exec"]


@dataclass(frozen=True)
class Settings:
    traces: int = 2000
    length: int = 40
    batch_size: int = 48
    batches: int = 110
    epochs: int = 3
    lr: float = 2e-3
    seed: int = 77


def collect(settings):
    """Markov chains of calls. Infected processes now and then read, write, rename a file in a row."""
    rng = np.random.default_rng(settings.seed)
    transition = rng.dirichlet(np.full(len(CALLS), 0.6), size=len(CALLS)).cumsum(axis=1)
    labels = (rng.random(settings.traces) < 0.3).astype(np.float32)
    traces = np.zeros((settings.traces, settings.length), dtype=np.int64)
    state = rng.integers(0, len(CALLS), size=settings.traces)
    for step in range(settings.length):
        draws = rng.random((settings.traces, 1))
        state = np.minimum((transition[state] < draws).sum(axis=1), len(CALLS) - 1)
        traces[:, step] = state
    for row in np.flatnonzero(labels):
        for _ in range(rng.integers(1, 4)):
            at = rng.integers(0, settings.length - 4)
            traces[row, at:at + 4] = [1, 2, 3, 4] if rng.random() < 0.8 else [1, 2, 10, 4]
    labels = np.where(rng.random(settings.traces) < 0.04, 1 - labels, labels)  # analysts err
    return torch.from_numpy(traces), torch.from_numpy(labels)


class Detector(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.embed = nn.Embedding(len(CALLS), width)
        self.conv = nn.Conv1d(width, 48, kernel_size=4)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(48, 1)

    def forward(self, x):
        features = torch.relu(self.conv(self.embed(x).transpose(1, 2))).amax(dim=2)
        return self.out(self.drop(features)).squeeze(1)


def area_under_curve(scores, labels):
    ranks = scores.argsort(stable=True).argsort().double() + 1
    positive = labels > 0.5
    n, m = positive.sum().item(), (~positive).sum().item()
    return (ranks[positive].sum().item() - n * (n + 1) / 2) / (n * m)


def main():
    settings = Settings()
    random.seed(settings.seed)
    np.random.seed(settings.seed)
    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)

    traces, labels = collect(settings)
    cut = settings.traces * 4 // 5
    archive, verdicts = traces[:cut], labels[:cut]
    model = Detector()
    sampler = mining.HardBatchSampler(model, archive, verdicts, settings.batch_size, settings.batches, settings.seed)
    loader = DataLoader(TensorDataset(archive, verdicts), batch_sampler=sampler)
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.lr)

    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "log.jsonl"), "w") as log:
        for epoch in range(settings.epochs):
            started = time.perf_counter()
            total = 0.0
            for x, y in loader:
                loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item()
            model.eval()
            with torch.no_grad():
                auc = area_under_curve(model(traces[cut:]), labels[cut:])
            model.train()
            entry = {"epoch": epoch, "loss": round(total / len(loader), 6), "auc": round(auc, 5)}
            log.write(json.dumps(entry) + "\n")
            print(entry, f"{len(loader) / (time.perf_counter() - started):.0f} batches/s")

    norm = torch.cat([p.detach().flatten() for p in model.parameters()]).double().norm().item()
    print(f"norm of the weights {norm:.10f}")


if __name__ == "__main__":
    main()
