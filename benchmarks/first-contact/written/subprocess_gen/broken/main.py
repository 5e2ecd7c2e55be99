"""Generates a table in a subprocess, reads it, and trains a trend classifier on it."""
import csv
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from settings import Settings

HERE = Path(__file__).resolve().parent


def generate(settings, path):
    command = [sys.executable, str(HERE / "tools" / "generate.py"), str(path),
               "--days", str(settings.days), "--hours", str(settings.hours)]
    done = subprocess.run(command, env=settings.environment(), check=True, capture_output=True, text=True)
    print("generator:", done.stderr.strip())


def read(path):
    with open(path, newline="") as f:
        rows = list(csv.reader(f))[1:]
    table = np.array(rows, dtype=np.float32)
    return torch.from_numpy(table[:, :-1]).unsqueeze(-1), torch.from_numpy(table[:, -1])


class Trend(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.rnn = nn.GRU(1, width, batch_first=True)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        h, _ = self.rnn(x)
        return self.out(h[:, -1]).squeeze(-1)


def main():
    settings = Settings()
    random.seed(settings.seed)
    np.random.seed(settings.seed)
    torch.manual_seed(settings.seed)
    path = Path("days.csv")
    generate(settings, path)
    x, y = read(path)
    model = Trend(settings.width)
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.lr)
    for epoch in range(settings.epochs):
        start = time.time()
        for idx in torch.randperm(len(x)).split(50):
            loss = nn.functional.binary_cross_entropy_with_logits(model(x[idx]), y[idx])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f} {time.time() - start:.2f} s")
    torch.save(model.state_dict(), "trend.pt")
    with torch.no_grad():
        accuracy = ((model(x) > 0) == (y > 0)).float().mean().item()
    print(f"final accuracy {accuracy:.4f} loss {loss.item()!r}")


if __name__ == "__main__":
    main()
