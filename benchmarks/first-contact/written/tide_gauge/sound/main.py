#!/usr/bin/env python
"""Forecast the surge residual at a harbour gauge six hours ahead."""
from __future__ import annotations

import json
import platform
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

from tides.features import FeatureTable, build_table
from tides.series import simulate_gauge
from tides.windows import Windows


@dataclass(frozen=True)
class Config:
    seed: int = 77
    hours: int = 2600
    context: int = 36
    horizon: int = 6
    hidden: int = 32
    batch: int = 64
    epochs: int = 3
    lr: float = 4e-3


class SurgeGRU(nn.Module):
    def __init__(self, channels: int, hidden: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(channels)
        self.gru = nn.GRU(channels, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, hidden), nn.GELU(), nn.Linear(hidden, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        states, _ = self.gru(self.norm(x))
        return self.head(states[:, -1]).squeeze(-1)


def fit(cfg: Config, table: FeatureTable, target: np.ndarray) -> tuple[SurgeGRU, dict]:
    cut = int(0.8 * cfg.hours)
    train = Windows(table.values[:cut], target[:cut], cfg.context, cfg.horizon)
    test = Windows(table.values[cut:], target[cut:], cfg.context, cfg.horizon)
    model = SurgeGRU(table.width, cfg.hidden)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    shuffler = torch.Generator().manual_seed(cfg.seed)
    curve = []
    for epoch in range(cfg.epochs):
        t0, losses = time.monotonic(), []
        for x, y in train.batches(cfg.batch, shuffler):
            loss = nn.functional.huber_loss(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        curve.append(sum(losses) / len(losses))
        rate = len(train) / (time.monotonic() - t0)
        print(f"epoch {epoch + 1}/{cfg.epochs}  huber {curve[-1]:.5f}  {rate:,.0f} windows/s", flush=True)
    model.eval()
    with torch.inference_mode():
        err = torch.cat([model(x) - y for x, y in test.batches(256)])
    return model, {
        "train_curve": curve,
        "rmse": err.square().mean().sqrt().item(),
        "mae": err.abs().mean().item(),
        "bias": err.mean().item(),
    }


def main() -> int:
    cfg = Config()
    print(f"{platform.node()}: python {platform.python_version()}, torch {torch.__version__}")
    torch.set_num_threads(1)
    torch.manual_seed(cfg.seed)
    gauge = simulate_gauge(cfg.hours, np.random.default_rng(cfg.seed))

    with tempfile.TemporaryDirectory(prefix="tides-") as scratch:
        store = Path(scratch) / "gauge.npz"
        np.savez(store, **gauge)
        print(f"staged {store} ({store.stat().st_size / 1024:.0f} KiB)")
        with np.load(store) as data:
            columns = {name: data[name] for name in data.files}

    table = build_table(columns, skip={"surge", "quality"})
    print(f"{table.width} features over {len(table.values)} hours")
    model, scores = fit(cfg, table, columns["surge"])
    print("  ".join(f"{k} {v:.5f}" for k, v in scores.items() if isinstance(v, float)))

    torch.save(model.state_dict(), "surge_gru.pt")
    Path("scores.json").write_text(json.dumps({"config": asdict(cfg), "scores": scores}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
