"""Sequential design of experiments for a hollow-cone nozzle.

A small committee of networks predicts droplet size and cone angle. In every
round the bench measures the settings on which the committee disagrees most.
"""

import json
import random
import time
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np
import torch
from torch import nn

import design


@dataclass
class Config:
    seed: int = 31
    first_points: int = 96
    rounds: int = 3
    per_round: int = 32
    pool_exponent: int = 9
    members: int = 3
    hidden: int = 48
    epochs: int = 36
    lr: float = 4e-3
    noise: float = 0.015
    out: str = "campaign"
    targets: list = field(default_factory=lambda: ["smd_um", "cone_deg"])


class Bench:
    """Stands in for the spray rig: an empirical law plus measuring noise."""

    def __init__(self, noise, seed):
        self.noise = noise
        self.rng = np.random.default_rng(seed)
        self.measured = 0

    def measure(self, points):
        d, gap, p, mu = points.T
        smd = 52.0 * d**0.6 * mu**0.16 / p**0.43 * (1 + 0.3 * np.exp(-gap / 0.1))
        cone = 38 + 22 * np.tanh(gap * p / 1.7) - 0.35 * mu + 6 * np.sin(4 * d)
        clean = np.stack([smd / 20.0, cone / 40.0], axis=1)
        self.measured += len(points)
        return clean + self.rng.normal(0, self.noise, clean.shape)


class Member(nn.Module):
    def __init__(self, inputs, outputs, hidden):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(inputs, hidden), nn.SiLU(),
            nn.Linear(hidden, hidden), nn.SiLU(),
            nn.Linear(hidden, outputs),
        )

    def forward(self, x):
        return self.net(x)


def tensors(points, values=None):
    x = torch.tensor(design.unit_cube(points), dtype=torch.float32)
    if values is None:
        return x
    return x, torch.tensor(values, dtype=torch.float32)


def fit(member, x, y, cfg, generator):
    optimizer = torch.optim.AdamW(member.parameters(), lr=cfg.lr, weight_decay=1e-4)
    loss = torch.zeros(())
    for _ in range(cfg.epochs):
        order = torch.randperm(len(x), generator=generator)
        for part in order.split(32):
            loss = nn.functional.mse_loss(member(x[part]), y[part])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return loss.item()


def disagreement(committee, points):
    with torch.no_grad():
        x = tensors(points)
        votes = torch.stack([member(x) for member in committee])
    return votes.std(0).sum(1)


def main():
    cfg = Config()
    random.seed(cfg.seed)
    np.random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    out = Path(cfg.out)
    out.mkdir(exist_ok=True)

    bench = Bench(cfg.noise, cfg.seed + 1)
    pool = design.CandidatePool(cfg.pool_exponent, cfg.seed + 2)
    points = design.first_design(cfg.first_points, cfg.seed)
    values = bench.measure(points)
    held_points = design.first_design(400, cfg.seed + 99)
    held_values = Bench(0.0, 0).measure(held_points)

    committee = [Member(len(design.BOUNDS), len(cfg.targets), cfg.hidden) for _ in range(cfg.members)]
    shuffles = [torch.Generator().manual_seed(cfg.seed + 10 + i) for i in range(cfg.members)]
    history = []
    for number in range(cfg.rounds):
        began = time.perf_counter()
        x, y = tensors(points, values)
        losses = [fit(m, x, y, cfg, g) for m, g in zip(committee, shuffles)]
        hx, hy = tensors(held_points, held_values)
        with torch.no_grad():
            error = (torch.stack([m(hx) for m in committee]).mean(0) - hy).abs().mean().item()
        candidates = pool.draw()
        chosen = disagreement(committee, candidates).topk(cfg.per_round).indices.numpy()
        points = np.concatenate([points, candidates[chosen]])
        values = np.concatenate([values, bench.measure(candidates[chosen])])
        history.append({"round": number, "points": len(points), "mae": error})
        print(f"round {number}: losses {[round(v, 5) for v in losses]}, "
              f"held-out mae {error:.4f}, {time.perf_counter() - began:.1f} s")

    torch.save([m.state_dict() for m in committee], out / "committee.pt")
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    report = {"written": stamp, "config": asdict(cfg), "history": history, "measured": bench.measured}
    (out / f"report-{stamp}.json").write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
