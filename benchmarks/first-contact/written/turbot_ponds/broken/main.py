"""Growth of farmed turbot from the diary of each pond, trained on a frozen version of the data."""
import argparse
import logging
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn

from snapshot import freeze, thaw

log = logging.getLogger("turbot")
FEATURES = ["temperature", "oxygen", "ammonia", "feed", "density", "weight"]


def write_diaries(folder, ponds, days, seed):
    for pond in range(ponds):
        rng = np.random.default_rng([seed, pond])
        weight = rng.uniform(40, 120)
        rows = []
        warm = rng.normal(0, 0.8)
        for day in range(days):
            temperature = 15 + warm + 3 * np.sin(2 * np.pi * day / 365) + rng.normal(0, 0.4)
            oxygen = 8.5 - 0.15 * (temperature - 15) + rng.normal(0, 0.3)
            ammonia = max(0.0, rng.normal(0.3, 0.1))
            feed = 0.012 * weight * rng.uniform(0.8, 1.1)
            density = rng.uniform(20, 45)
            gain = 0.55 * feed * (1 - 0.02 * (temperature - 16) ** 2) - 0.6 * ammonia - 0.004 * density
            rows.append((pond, day, temperature, oxygen, ammonia, feed, density, weight, gain))
            weight += gain
        table = pd.DataFrame(rows, columns=["pond", "day", *FEATURES, "gain"])
        table.to_csv(folder / f"pond_{pond:02d}.csv", index=False, float_format="%.5f")


def split_ponds(table, version, held):
    """The ponds to hold out: fixed for a version of the data, drawn anew for the next."""
    rng = np.random.default_rng(int(version, 16))
    ponds = np.array(sorted(table["pond"].unique()))
    chosen = rng.choice(ponds, size=held, replace=False)
    mask = table["pond"].isin(chosen)
    return table[~mask], table[mask]


def to_tensors(table, mean, std):
    x = ((table[FEATURES] - mean) / std).to_numpy(np.float32)
    return torch.from_numpy(x), torch.from_numpy(table["gain"].to_numpy(np.float32))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ponds", type=int, default=30)
    parser.add_argument("--days", type=int, default=90)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=8)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(prefix="turbot_") as root:
        tables, store, work = (Path(root) / name for name in ("tables", "store", "work"))
        for folder in (tables, store, work):
            folder.mkdir()
        write_diaries(tables, args.ponds, args.days, args.seed)
        freeze(tables, store)
        version = thaw(store, work)
        log.info("data version %s", version)
        table = pd.concat([pd.read_csv(path) for path in sorted(work.glob("*.csv"))], ignore_index=True)

    train, held = split_ponds(table, version, held=7)
    mean, std = train[FEATURES].mean(), train[FEATURES].std()
    x, y = to_tensors(train, mean, std)
    x_held, y_held = to_tensors(held, mean, std)

    model = nn.Sequential(nn.Linear(len(FEATURES), 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=8e-3, epochs=args.epochs, steps_per_epoch=-(-len(x) // 64))
    began = time.perf_counter()
    for epoch in range(args.epochs):
        for rows in torch.randperm(len(x)).split(64):
            loss = nn.functional.mse_loss(model(x[rows]).squeeze(1), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
        log.info("epoch %d loss %.5f", epoch, loss.item())
    log.info("trained in %.2f s", time.perf_counter() - began)
    with torch.no_grad():
        error = (model(x_held).squeeze(1) - y_held).abs().mean().item()
    print(f"held out {len(held)} pond days, mean absolute error {error:.9f} g/day")
    print(f"weights {sum(p.double().pow(2).sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
