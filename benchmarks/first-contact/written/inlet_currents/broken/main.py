"""An ensemble that forecasts the current in a tidal inlet from the last day of gauge readings."""
import argparse
import random
import sqlite3
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from config import MEMBERS, MemberConfig

ACTIVATIONS = {"tanh": nn.Tanh, "relu": nn.ReLU, "gelu": nn.GELU, "silu": nn.SiLU}
LAGS, HORIZON = 24, 3


def make_gauge(hours: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    t = np.arange(hours, dtype=np.float64)
    tide = 1.1 * np.sin(2 * np.pi * t / 12.42) + 0.4 * np.sin(2 * np.pi * t / 12.0 + 0.7)
    diurnal = 0.25 * np.sin(2 * np.pi * t / 23.93 + 0.2)
    surge = np.zeros(hours)
    for i in range(1, hours):
        surge[i] = 0.97 * surge[i - 1] + 0.06 * rng.standard_normal()
    return (tide + diurnal + surge + 0.05 * rng.standard_normal(hours)).astype(np.float32)


def windows(series: np.ndarray) -> TensorDataset:
    view = np.lib.stride_tricks.sliding_window_view(series, LAGS + HORIZON).copy()
    return TensorDataset(torch.from_numpy(view[:, :LAGS]), torch.from_numpy(view[:, LAGS:]))


def build(cfg: MemberConfig) -> nn.Module:
    act = ACTIVATIONS[cfg.activation]
    return nn.Sequential(
        nn.Linear(LAGS, cfg.width), act(), nn.Dropout(cfg.dropout),
        nn.Linear(cfg.width, cfg.width), act(), nn.Linear(cfg.width, HORIZON),
    )


def fit(cfg: MemberConfig, train: TensorDataset, args) -> nn.Module:
    torch.manual_seed(cfg.seed(args.seed))
    model = build(cfg)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    loader = DataLoader(train, batch_size=args.batch, shuffle=True, drop_last=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, cfg.lr * 2, total_steps=args.epochs * len(loader))
    model.train()
    for _ in range(args.epochs):
        for x, y in loader:
            loss = nn.functional.huber_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return model.eval()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch", type=int, default=64)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    series = make_gauge(4200, args.seed)
    train, test = windows(series[:3400]), windows(series[3400:])
    x_test, y_test = test.tensors

    with tempfile.TemporaryDirectory() as folder:
        db = sqlite3.connect(Path(folder) / "scores.sqlite")
        db.execute("create table score (member text, width integer, rmse real, seconds real)")
        forecasts = []
        for cfg in MEMBERS:
            start = time.perf_counter()
            model = fit(cfg, train, args)
            with torch.no_grad():
                forecast = model(x_test)
            forecasts.append(forecast)
            rmse = (forecast - y_test).square().mean().sqrt().item()
            db.execute("insert into score values (?, ?, ?, ?)", (cfg.name, cfg.width, rmse, time.perf_counter() - start))
        db.commit()
        for name, rmse, seconds in db.execute("select member, rmse, seconds from score order by rmse"):
            print(f"{name:12s} rmse {rmse:.6f}   ({seconds:.2f} s)")
        db.close()
    mean = torch.stack(forecasts).mean(0)
    print(f"ensemble rmse {(mean - y_test).square().mean().sqrt().item():.7f}")


if __name__ == "__main__":
    main()
