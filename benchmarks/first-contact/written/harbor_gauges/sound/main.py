"""Forecast the surge at harbour tide gauges from the last readings of each gauge."""
import argparse
import asyncio
import json
import logging
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from feeds import fetch_all, publish

log = logging.getLogger("harbor_gauges")


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gauges", type=int, default=400)
    parser.add_argument("--hours", type=int, default=96)
    parser.add_argument("--window", type=int, default=24)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--seed", type=int, default=17)
    return parser.parse_args()


class SurgeNet(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.rnn = nn.GRU(1, 24, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(24, 1)

    def forward(self, x):
        out, _ = self.rnn(x.unsqueeze(-1))
        return self.head(self.drop(out[:, -1])).squeeze(-1)


def windows(series, window):
    rows, targets = [], []
    for levels in series:
        levels = (levels - levels.mean()) / levels.std()
        for start in range(0, len(levels) - window, 12):
            rows.append(levels[start:start + window])
            targets.append(levels[start + window])
    return (torch.tensor(np.stack(rows), dtype=torch.float32),
            torch.tensor(np.array(targets), dtype=torch.float32))


def main():
    args = parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="gauges-") as tmp:
        logging.basicConfig(filename=Path(tmp) / "fetch.log", level=logging.INFO)
        stations = publish(Path(tmp), args.gauges, args.hours, np.random.default_rng(args.seed))
        messages = asyncio.run(fetch_all(stations))
        log.info("fetched %d gauges", len(messages))
        series = [np.asarray(json.loads(m)["level"]) for m in messages]
        logging.shutdown()
    print(f"fetched {len(series)} gauges in {time.perf_counter() - started:.2f} s")

    x, y = windows(series, args.window)
    cut = int(0.8 * len(x))
    train = torch.utils.data.TensorDataset(x[:cut], y[:cut])
    loader = torch.utils.data.DataLoader(train, batch_size=64, shuffle=True,
                                         generator=torch.Generator().manual_seed(args.seed))
    model = SurgeNet(args.window)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = nn.functional.smooth_l1_loss(model(xb), yb)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.item() * len(xb)
        print(f"epoch {epoch} loss {total / cut:.6f}")

    model.eval()
    with torch.no_grad():
        error = (model(x[cut:]) - y[cut:]).abs().mean().item()
    checksum = sum(p.double().abs().sum().item() for p in model.parameters())
    print(f"held-out error {error:.8f}  weights {checksum:.10f}")


if __name__ == "__main__":
    main()
