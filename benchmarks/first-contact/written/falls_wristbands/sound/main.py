"""Fall detection from wristband accelerometers; the last checkpoints are averaged."""
import argparse
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

from writer import CheckpointWriter, load


@dataclass
class Settings:
    epochs: int = 7
    average: int = 4
    batch: int = 32
    seed: int = 1203


def recordings(count, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(64) / 32.0
    x = rng.normal(0, 0.5, (count, 3, 64))
    y = rng.integers(0, 2, count)
    for row in range(count):
        x[row] += np.sin(2 * np.pi * rng.uniform(0.8, 2.5) * t + rng.uniform(0, 6))
        if y[row]:
            at = rng.integers(8, 56)
            x[row, :, at:at + 5] += rng.normal(1.2, 0.5, (3, 1))
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(3, 16, 5, padding=2), nn.ReLU(), nn.MaxPool1d(4),
                                  nn.Conv1d(16, 24, 5, padding=2), nn.ReLU(), nn.MaxPool1d(4))
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(96, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 2))

    def forward(self, x):
        return self.head(self.conv(x))


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        return nn.functional.cross_entropy(model(x), y).item()


def averaged(paths):
    states = [load(path)["state"] for path in paths]
    return {name: torch.stack([s[name] for s in states]).mean(0) for name in states[0]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=Settings.epochs)
    settings = Settings(epochs=parser.parse_args().epochs)
    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)
    x, y = recordings(2400, settings.seed)
    xt, yt, xv, yv = x[:2000], y[:2000], x[2000:], y[2000:]
    model = Detector()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    with tempfile.TemporaryDirectory() as folder:
        writer = CheckpointWriter(Path(folder))
        for epoch in range(settings.epochs):
            began = time.perf_counter()
            model.train()
            for rows in torch.randperm(len(xt)).split(settings.batch):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(xt[rows]), yt[rows])
                loss.backward()
                optimizer.step()
            valid = evaluate(model, xv, yv)
            writer.submit(epoch, model, {"valid": valid})
            print(f"epoch {epoch} valid {valid:.6f} [{time.perf_counter() - began:.2f} s]")
        writer.close()
        final = Detector()
        final.load_state_dict(averaged(writer.paths[-settings.average - 1:-1]))
    print(f"averaged model: valid {evaluate(final, xv, yv):.9f}")
    print(f"averaged weights: {sum(p.double().sum().item() for p in final.parameters()):.10f}")


if __name__ == "__main__":
    main()
