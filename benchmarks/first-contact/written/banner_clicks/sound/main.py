"""Forecasts sales of banner campaigns from reach and click rates; keeps predictions in a small database."""
import argparse
import sqlite3
import time
import warnings

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import rates

warnings.filterwarnings("ignore", category=UserWarning)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--days", type=int, default=40)
    parser.add_argument("--campaigns", type=int, default=160)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=8)
    return parser.parse_args()


def keep(frame, predicted):
    base = sqlite3.connect(":memory:")
    base.execute("create table forecast (campaign text, day integer, sold integer, predicted real)")
    base.executemany("insert into forecast values (?, ?, ?, ?)",
                     zip(frame["campaign"], frame["day"].tolist(), frame["sold"].tolist(), predicted.tolist()))
    return base


def main():
    args = parse()
    torch.manual_seed(args.seed)
    began = time.perf_counter()
    frame, block = rates.table(args.days, args.campaigns, args.seed)
    print(f"{block.shape[0]} rows, {block.shape[1]} features in {time.perf_counter() - began:.2f} s")
    x = torch.from_numpy(block)
    y = torch.tensor(frame["sold"].to_numpy(), dtype=torch.float32)
    late = torch.from_numpy((frame["day"] >= args.days - 8).to_numpy())
    net = nn.Sequential(nn.LayerNorm(x.shape[1]), nn.Linear(x.shape[1], 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    loader = DataLoader(TensorDataset(x[~late], y[~late]), batch_size=128, shuffle=True,
                        generator=torch.Generator().manual_seed(args.seed))
    for epoch in range(args.epochs):
        total = 0.0
        for features, sold in loader:
            loss = nn.functional.poisson_nll_loss(net(features).squeeze(1), sold)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / len(loader):.7f}")
    net.eval()
    with torch.no_grad():
        predicted = net(x[late]).squeeze(1).exp().numpy()
    base = keep(frame[late.numpy()], np.round(predicted, 6))
    for day, error in base.execute("select day, avg(abs(sold - predicted)) from forecast group by day order by day"):
        print(f"day {day}: mean error {error:.6f}")
    print("weights", sum(p.detach().double().square().sum().item() for p in net.parameters()))


if __name__ == "__main__":
    main()
