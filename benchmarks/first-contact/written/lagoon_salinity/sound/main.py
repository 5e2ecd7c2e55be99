"""Forecasts the salinity of a lagoon six hours ahead from the logs of its buoys."""
import argparse
import asyncio
import os
import random
import tempfile
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import buoys

PAST, AHEAD = 24, 6


def windows(logs):
    xs, ys = [], []
    for log in logs:
        for start in range(0, buoys.HOURS - PAST - AHEAD, 6):
            salinity = log.salinity[start:start + PAST]
            xs.append(np.stack([salinity - salinity.mean(), log.temperature[start:start + PAST] - 20.0]))
            ys.append(log.salinity[start + PAST + AHEAD - 1] - salinity.mean())
    return torch.from_numpy(np.stack(xs)).float(), torch.tensor(ys, dtype=torch.float32)


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(2, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, x):
        states, _ = self.gru(x.transpose(1, 2))
        return self.out(states[:, -1]).squeeze(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--buoys", type=int, default=180)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=12)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="lagoon-") as folder:
        logs = asyncio.run(buoys.collect(os.path.join(folder, "gateway"), args.buoys, args.seed))
    print(f"{len(logs)} logs, {len(logs) / (time.monotonic() - began):.0f} per second")

    random.shuffle(logs)
    cut = len(logs) * 5 // 6
    train, test = windows(logs[:cut]), windows(logs[cut:])
    loader = DataLoader(TensorDataset(*train), batch_size=48, shuffle=True, generator=torch.Generator().manual_seed(args.seed))
    model = Forecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(args.epochs):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        with torch.no_grad():
            error = (model(test[0]) - test[1]).abs().mean().item()
        print(f"epoch {epoch}  last loss {loss.item():.6f}  held-out error {error:.6f} psu")
    print("sum of weights", sum(p.double().abs().sum().item() for p in model.parameters()))


if __name__ == "__main__":
    main()
