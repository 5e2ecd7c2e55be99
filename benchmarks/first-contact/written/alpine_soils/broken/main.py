"""Predict organic carbon of alpine soils from field readings, cross-validated by stable folds."""
import argparse
import json
import random
import sqlite3
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from folds import assign_folds


@dataclass
class FoldResult:
    fold: int
    held_out: int
    rmse: float
    seconds: float


def survey(count, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "station": rng.integers(0, 40, count),
        "depth_cm": rng.choice([5, 10, 20, 40, 80], count),
        "ph": np.round(rng.normal(5.8, 0.7, count), 2),
        "moisture": np.round(rng.beta(2, 5, count), 4),
        "slope": np.round(rng.gamma(2.0, 6.0, count), 1),
    })
    frame["carbon"] = (6.0 - 0.9 * np.log(frame.depth_cm) + 4.0 * frame.moisture - 0.4 * (frame.ph - 5.5) ** 2
                       - 0.02 * frame.slope + rng.normal(0, 0.25, count))
    frame.loc[rng.random(count) < 0.12, "ph"] = np.nan
    return frame


def load_from_database(path, frame):
    with sqlite3.connect(path) as connection:
        frame.to_sql("samples", connection, index_label="sample_id")
        loaded = pd.read_sql("SELECT * FROM samples ORDER BY sample_id", connection, index_col="sample_id")
    connection.close()
    return loaded


def design(frame, train):
    table = frame[["depth_cm", "ph", "moisture", "slope"]].astype("float64").copy()
    table["depth_cm"] = np.log(table["depth_cm"])
    table["ph_missing"] = table["ph"].isna().astype("float64")
    table["ph"] = table["ph"].fillna(table.loc[train, "ph"].median())
    table = (table - table[train].mean()) / table[train].std()
    return torch.tensor(table.to_numpy(), dtype=torch.float32)


def run_fold(frame, fold, args):
    begun = time.perf_counter()
    torch.manual_seed(args.seed + fold)
    train = frame["fold"] != fold
    inputs = design(frame, train)
    target = torch.tensor(frame["carbon"].to_numpy(), dtype=torch.float32)
    mask = torch.from_numpy(train.to_numpy())
    model = nn.Sequential(nn.Linear(5, 32), nn.SiLU(), nn.Dropout(0.05), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    loader = DataLoader(TensorDataset(inputs[mask], target[mask]), batch_size=64, shuffle=True,
                        generator=torch.Generator().manual_seed(args.seed * 31 + fold))
    for _ in range(args.epochs):
        model.train()
        for features, carbon in loader:
            loss = nn.functional.smooth_l1_loss(model(features).squeeze(1), carbon)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        error = model(inputs[~mask]).squeeze(1) - target[~mask]
    rmse = error.square().mean().sqrt().item()
    return FoldResult(fold, int((~mask).sum()), rmse, time.perf_counter() - begun), model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=1200)
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)

    with tempfile.TemporaryDirectory() as folder:
        frame = load_from_database(Path(folder) / "survey.db", survey(args.samples, args.seed))
        frame["fold"] = assign_folds(frame, args.folds)
        results, total = [], 0.0
        for fold in range(args.folds):
            result, model = run_fold(frame, fold, args)
            results.append(result)
            total += sum(p.double().abs().sum().item() for p in model.parameters())
            print(f"fold {fold}: {result.seconds:.2f} s")
        (Path(folder) / "results.json").write_text(json.dumps([asdict(r) for r in results]))
        table = pd.read_json(Path(folder) / "results.json")
    print(f"rmse {table['rmse'].mean():.7f} over {len(table)} folds, weights {total:.9f}")


if __name__ == "__main__":
    main()
