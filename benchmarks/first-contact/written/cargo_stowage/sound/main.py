"""Predicts how unevenly a ship will be loaded, from the log of the stowage planner."""
import argparse
import logging
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn

from packing import plan_log

log = logging.getLogger("stowage")
TARGET = "imbalance"


def features(frame):
    numeric = frame.select_dtypes("number").drop(columns=[TARGET, "solve_ms"])
    ports = pd.get_dummies(frame["port"], prefix="port", dtype=float)
    return pd.concat([numeric, ports[sorted(ports.columns)]], axis=1)


def fit(x, y, epochs, generator):
    model = nn.Sequential(nn.Linear(x.shape[1], 64), nn.GELU(), nn.Linear(64, 32), nn.GELU(), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    for epoch in range(epochs):
        losses = []
        for rows in torch.randperm(len(x), generator=generator).split(32):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x[rows]).squeeze(1), y[rows])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        schedule.step()
        log.info("epoch %d: loss %.6f", epoch, float(np.mean(losses)))
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plans", type=int, default=900)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=47)
    args = parser.parse_args()
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(message)s")
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plans.csv"
        plan_log(args.plans, args.seed).to_csv(path, index=False)
        frame = pd.read_csv(path)
    log.info("planned in %.1f ms on average", frame["solve_ms"].mean())
    table = features(frame)
    x_train, x_test, y_train, y_test = train_test_split(
        table.to_numpy(), frame[TARGET].to_numpy(), test_size=0.25, random_state=args.seed)
    scaler = StandardScaler().fit(x_train)
    as_tensor = lambda a: torch.tensor(a, dtype=torch.float32)
    model = fit(as_tensor(scaler.transform(x_train)), as_tensor(y_train), args.epochs,
                torch.Generator().manual_seed(args.seed))
    with torch.no_grad():
        error = (model(as_tensor(scaler.transform(x_test))).squeeze(1) - as_tensor(y_test)).abs().mean().item()
    print(f"test MAE {error:.8f}")
    print(f"weights {sum(p.double().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
