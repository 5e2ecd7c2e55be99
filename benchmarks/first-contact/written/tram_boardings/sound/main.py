"""Forecast the next six hours of boardings on every tram route with a GRU."""
import argparse
import sqlite3
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from ridership import Simulator


class Forecaster(nn.Module):
    def __init__(self, width: int, horizon: int):
        super().__init__()
        self.gru = nn.GRU(1, width, batch_first=True)
        self.head = nn.Linear(width, horizon)

    def forward(self, x):
        out, _ = self.gru(x.unsqueeze(-1))
        return self.head(out[:, -1])


def windows(history: np.ndarray, past: int, horizon: int, stride: int):
    x, y = [], []
    for series in history:
        for start in range(0, len(series) - past - horizon, stride):
            x.append(series[start:start + past])
            y.append(series[start + past:start + past + horizon])
    return torch.from_numpy(np.stack(x)), torch.from_numpy(np.stack(y))


def store(db: sqlite3.Connection, history: np.ndarray):
    db.execute("CREATE TABLE boardings (route INTEGER, hour INTEGER, load REAL)")
    db.executemany("INSERT INTO boardings VALUES (?, ?, ?)",
                   ((r, h, float(v)) for r, row in enumerate(history) for h, v in enumerate(row)))
    db.commit()


def busiest(db: sqlite3.Connection):
    return db.execute("SELECT route, AVG(load) AS mean FROM boardings GROUP BY route "
                      "ORDER BY mean DESC, route LIMIT 3").fetchall()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--routes", type=int, default=12)
    p.add_argument("--days", type=int, default=600)
    p.add_argument("--threads", type=int, default=4)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--seed", type=int, default=29)
    args = p.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    began = time.perf_counter()
    simulator = Simulator(args.seed, args.days)
    history = simulator.history(args.routes, args.threads)
    print(f"{simulator.simulated} routes simulated in {time.perf_counter() - began:.2f} s")

    db = sqlite3.connect(":memory:")
    store(db, history[:, -24 * 28:])
    for route, mean in busiest(db):
        print(f"  route {route}: mean load {mean:.4f}")

    x, y = windows(history, past=24, horizon=6, stride=149)
    cut = 9 * len(x) // 10
    loader = DataLoader(TensorDataset(x[:cut], y[:cut]), batch_size=32, shuffle=True,
                        generator=torch.Generator().manual_seed(args.seed))
    model = Forecaster(20, 6)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 8e-3, total_steps=args.epochs * len(loader))
    for epoch in range(args.epochs):
        total = 0.0
        for past, future in loader:
            loss = nn.functional.smooth_l1_loss(model(past), future)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += loss.item()
        print(f"epoch {epoch + 1} loss {total / len(loader):.7f}")
    with torch.no_grad():
        error = (model(x[cut:]) - y[cut:]).abs().mean().item()
    print(f"mean absolute error on the last routes {error:.8f}")


if __name__ == "__main__":
    main()
