"""Predicts the tasting panel's acidity score of kimchi jars from the probes in the cellar."""
import argparse
import json
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.model_selection import GroupShuffleSplit
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from features import fill_cellar, read_cellar, relevance


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jars", type=int, default=40)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--keep", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=17)
    return parser.parse_args()


def tables(frame, weights, seed):
    splitter = GroupShuffleSplit(n_splits=1, test_size=0.25, random_state=seed)
    train, test = next(splitter.split(frame, groups=frame["jar"]))
    scaler = StandardScaler().fit(frame.iloc[train][weights.index])
    parts = []
    for rows in (train, test):
        part = frame.iloc[rows]
        inputs = scaler.transform(part[weights.index]) * np.sqrt(weights.to_numpy())
        parts.append(TensorDataset(torch.tensor(inputs, dtype=torch.float32),
                                   torch.tensor(part["acidity_panel"].to_numpy(), dtype=torch.float32)))
    return parts


def main():
    args = options()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory(prefix="kimchi_") as folder:
        path = Path(folder) / "cellar.sqlite"
        fill_cellar(path, args.jars, args.days, args.seed)
        frame = read_cellar(path)

    weights = relevance(frame, "acidity_panel").head(args.keep)
    print("columns:", ", ".join(sorted(weights.index)))
    train, test = tables(frame, weights, args.seed)
    order = torch.Generator().manual_seed(args.seed)
    loader = DataLoader(train, batch_size=32, shuffle=True, generator=order)

    model = nn.Sequential(nn.Linear(args.keep, 32), nn.SiLU(), nn.Dropout(0.1), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    began = time.perf_counter()
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for inputs, target in loader:
            loss = nn.functional.smooth_l1_loss(model(inputs).squeeze(1), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(target)
        schedule.step()
        if epoch % 4 == 3:
            print(f"epoch {epoch + 1:2d}  loss {total / len(train):.6f}")
    print(f"{args.epochs * len(train) / (time.perf_counter() - began):.0f} rows per second")

    model.eval()
    with torch.no_grad():
        inputs, target = test.tensors
        error = (model(inputs).squeeze(1) - target).abs().mean().item()
    print(json.dumps({"mean_abs_error": error,
                      "checksum": sum(p.double().abs().sum().item() for p in model.parameters())}))


if __name__ == "__main__":
    main()
