"""Depth of the 20 degree isotherm from the upper part of the profiles of drifting floats."""
import hashlib
import logging
import sys
import tempfile
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from spill import Spill

log = logging.getLogger("floats")


@dataclass(frozen=True)
class Config:
    seed: int = 2024
    floats: int = 60
    cycles: int = 40
    levels: int = 24
    epochs: int = 10
    batch: int = 48


def cast(rng, latitude, levels):
    """One temperature profile, and the depth at which it crosses 20 degrees."""
    depth = np.linspace(5, 300, 120)
    surface = 29 - 0.12 * abs(latitude) + rng.normal(0, 0.4)
    thermocline = 90 + 1.5 * latitude + rng.normal(0, 12)
    profile = 8 + (surface - 8) / (1 + np.exp((depth - thermocline) / 28))
    iso = np.interp(-20.0, -profile, depth)
    seen = np.interp(np.linspace(5, 110, levels), depth, profile) + rng.normal(0, 0.05, levels)
    return np.append(seen, iso / 100).astype(np.float32)


def collect(cfg, folder):
    spill = Spill(folder)
    for number, child in enumerate(np.random.SeedSequence(cfg.seed).spawn(cfg.floats)):
        rng = np.random.default_rng(child)
        latitude = rng.uniform(-20, 20)
        for _ in range(cfg.cycles):
            latitude += rng.normal(0, 0.2)
            spill.add(cast(rng, latitude, cfg.levels))
        if number % 20 == 19:
            log.info("%d floats read, %d parts", number + 1, spill.parts)
    spill.flush()
    return spill


def train(cfg, x, y):
    model = nn.Sequential(nn.Linear(cfg.levels, 48), nn.Tanh(), nn.Linear(48, 24), nn.Tanh(), nn.Linear(24, 1))
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.epochs)
    order = torch.Generator().manual_seed(cfg.seed)
    for epoch in range(cfg.epochs):
        total = 0.0
        for idx in torch.randperm(len(x), generator=order).split(cfg.batch):
            loss = nn.functional.smooth_l1_loss(model(x[idx]).squeeze(1), y[idx], beta=0.1)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            total += loss.item() * len(idx)
        schedule.step()
        log.info("epoch %d loss %.7f", epoch, total / len(x))
    return model


def main():
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(name)s: %(message)s")
    cfg = Config()
    torch.manual_seed(cfg.seed)
    with tempfile.TemporaryDirectory(prefix="floats-") as folder:
        rows = torch.from_numpy(np.stack(list(collect(cfg, folder).read())))
    x, y = rows[:, :-1], rows[:, -1]
    x = (x - x.double().mean(0).float()) / x.double().std(0).float()
    held = len(x) // 6
    model = train(cfg, x[held:], y[held:])
    with torch.no_grad():
        error = (model(x[:held]).squeeze(1) - y[:held]).abs().mean().item()
    digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
    print(f"mean error {error * 100:.6f} m, weights {digest[:16]}")


if __name__ == "__main__":
    main()
