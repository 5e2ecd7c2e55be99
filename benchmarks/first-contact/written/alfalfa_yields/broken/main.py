"""Alfalfa yield per plot: a forest, and a small network that corrects it."""
import argparse
import hashlib
import json
import logging
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn

from blend import forest_column


@dataclass(frozen=True)
class Settings:
    seed: int = 17
    plots: int = 900
    epochs: int = 12
    batch: int = 60
    lr: float = 3e-3


def simulate_plots(count, seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "rain_mm": rng.gamma(9.0, 42.0, count),
            "degree_days": rng.normal(1650, 210, count),
            "ph": rng.normal(6.7, 0.45, count),
            "potassium": rng.lognormal(5.0, 0.3, count),
            "stand_age": rng.integers(1, 7, count).astype(float),
            "cuts": rng.integers(2, 6, count).astype(float),
        }
    )
    vigour = np.exp(-0.12 * (table["stand_age"] - 2) ** 2)
    water = 1 - np.exp(-table["rain_mm"] / 240)
    table["tonnes"] = (
        2.2 * water * vigour * np.sqrt(table["cuts"])
        + 0.002 * (table["degree_days"] - 1650)
        - 1.1 * (table["ph"] - 6.8) ** 2
        + 0.25 * rng.standard_normal(count)
    )
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    parser.add_argument("--epochs", type=int, default=Settings.epochs)
    args = parser.parse_args()
    settings = Settings(seed=args.seed, epochs=args.epochs)

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    log = logging.getLogger("alfalfa")
    torch.manual_seed(settings.seed)
    torch.set_default_dtype(torch.float64)

    with tempfile.TemporaryDirectory(prefix="alfalfa-") as scratch:
        source = Path(scratch) / "plots.csv"
        simulate_plots(settings.plots, settings.seed).to_csv(source, index=False)
        (Path(scratch) / "settings.json").write_text(json.dumps(asdict(settings)))
        table = pd.read_csv(source)

    y = table.pop("tonnes").to_numpy()
    x = ((table - table.mean()) / table.std()).to_numpy()
    column = forest_column(x, y, settings.seed, log=log.info)
    inputs = torch.from_numpy(np.column_stack([x, column]))
    target = torch.from_numpy(y - column)

    net = nn.Sequential(nn.Linear(inputs.shape[1], 32), nn.Tanh(), nn.Dropout(0.1), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(net.parameters(), lr=settings.lr)
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(inputs, target),
        batch_size=settings.batch,
        shuffle=True,
        generator=torch.Generator().manual_seed(settings.seed),
    )
    for epoch in range(settings.epochs):
        total = 0.0
        for features, residual in loader:
            optimizer.zero_grad()
            loss = nn.functional.smooth_l1_loss(net(features).squeeze(1), residual)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(residual)
        if epoch % 4 == 3:
            log.info("epoch %d: %.5f", epoch + 1, total / len(y))

    net.eval()
    with torch.no_grad():
        rest = (net(inputs).squeeze(1) - target).square().mean().sqrt().item()
    weights = torch.cat([p.detach().flatten() for p in net.parameters()])
    print(f"rmse {rest!r} t/ha")
    print("weights", hashlib.sha256(weights.numpy().tobytes()).hexdigest()[:16])


if __name__ == "__main__":
    main()
