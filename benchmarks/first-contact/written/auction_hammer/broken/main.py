"""Predict the hammer price of auction lots from the catalogue entry."""
import argparse
import json
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from prepare import CatalogueEncoder


@dataclass
class Config:
    lots: int = 14000
    batch_size: int = 256
    epochs: int = 2
    hidden: int = 48
    lr: float = 2e-3
    seed: int = 1789


def draw_catalogue(cfg: Config) -> pd.DataFrame:
    rng = np.random.default_rng(cfg.seed)
    house = rng.choice(["north", "quay", "abbey", "mill"], size=cfg.lots, p=[0.4, 0.3, 0.2, 0.1])
    period = rng.choice(["georgian", "victorian", "deco", "modern"], size=cfg.lots)
    estimate = np.exp(rng.normal(6.0, 1.1, size=cfg.lots))
    age = rng.gamma(4.0, 30.0, size=cfg.lots)
    bidders = rng.poisson(5, size=cfg.lots) + 1
    weight = np.exp(rng.normal(1.0, 0.9, size=cfg.lots))
    log_price = (
        np.log(estimate)
        + 0.12 * np.sqrt(bidders)
        + 0.05 * (period == "deco")
        - 0.08 * (house == "mill")
        + rng.normal(0, 0.25, size=cfg.lots)
    )
    frame = pd.DataFrame(
        {
            "house": house,
            "period": period,
            "estimate": estimate.round(2),
            "age": age.round(1),
            "bidders": bidders,
            "weight": weight.round(3),
            "log_price": log_price,
        }
    )
    frame.loc[rng.random(cfg.lots) < 0.04, "weight"] = np.nan
    return frame


def build(width: int, hidden: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(width, hidden),
        nn.GELU(),
        nn.Dropout(0.1),
        nn.Linear(hidden, hidden),
        nn.GELU(),
        nn.Linear(hidden, 1),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=Config.epochs)
    parser.add_argument("--seed", type=int, default=Config.seed)
    args = parser.parse_args()
    cfg = Config(epochs=args.epochs, seed=args.seed)
    torch.manual_seed(cfg.seed)
    started = time.perf_counter()

    frame = draw_catalogue(cfg)
    cut = int(0.85 * len(frame))
    train, held_out = frame.iloc[:cut], frame.iloc[cut:]

    encoder = CatalogueEncoder(seed=cfg.seed).fit(train)
    x_train = torch.from_numpy(encoder.transform(train))
    x_test = torch.from_numpy(encoder.transform(held_out))
    centre = float(train["log_price"].mean())
    y_train = torch.tensor(train["log_price"].to_numpy() - centre, dtype=torch.float32)
    y_test = torch.tensor(held_out["log_price"].to_numpy() - centre, dtype=torch.float32)

    loader = DataLoader(
        TensorDataset(x_train, y_train),
        batch_size=cfg.batch_size,
        shuffle=True,
        generator=torch.Generator().manual_seed(cfg.seed + 1),
    )
    model = build(x_train.shape[1], cfg.hidden)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-3)
    loss_of = nn.SmoothL1Loss()

    with tempfile.TemporaryDirectory() as folder:
        best_path = Path(folder) / "best.pt"
        best = float("inf")
        for epoch in range(cfg.epochs):
            tick = time.perf_counter()
            model.train()
            for features, target in loader:
                optimizer.zero_grad(set_to_none=True)
                loss = loss_of(model(features).squeeze(1), target)
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
            model.eval()
            with torch.no_grad():
                score = loss_of(model(x_test).squeeze(1), y_test).item()
            rate = len(y_train) / (time.perf_counter() - tick)
            print(f"epoch {epoch} held-out {score:.6f} ({rate:,.0f} lots/s)")
            if score < best:
                best = score
                torch.save({"model": model.state_dict(), "config": asdict(cfg)}, best_path)
        model.load_state_dict(torch.load(best_path)["model"])

    with torch.no_grad():
        error = (model(x_test).squeeze(1) - y_test).abs().mean().item()
    weights = sum(p.double().abs().sum().item() for p in model.parameters())
    print(json.dumps({"held_out": best, "mean_abs_log_error": error, "weights": weights}))
    print(f"took {time.perf_counter() - started:.2f} s")


if __name__ == "__main__":
    main()
