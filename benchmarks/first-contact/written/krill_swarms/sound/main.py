"""Fit a recurrent emulator to the population curves of a krill model."""

import argparse
import json
import tempfile
import time
from pathlib import Path

import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F

from ocean import Ocean

COLUMNS = ["count", "depth", "energy", "algae"]


class Emulator(nn.Module):
    def __init__(self, hidden: int = 24):
        super().__init__()
        self.gru = nn.GRU(len(COLUMNS) + 2, hidden, batch_first=True)
        self.out = nn.Linear(hidden, len(COLUMNS))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[..., : len(COLUMNS)] + self.out(self.gru(x)[0])


def simulate(krill: int, cells: int, hours: int, seed: int) -> pd.DataFrame:
    ocean = Ocean(krill, cells, seed)
    rows = []
    for _ in range(hours):
        ocean.step()
        rows.append(ocean.observe())
    return pd.DataFrame(rows, columns=COLUMNS).rename_axis("hour")


def with_clock(table: pd.DataFrame) -> torch.Tensor:
    values = torch.tensor(table[COLUMNS].to_numpy(), dtype=torch.float32)
    angle = torch.arange(len(table)) * (2 * torch.pi / 24)
    return torch.cat([values, torch.sin(angle)[:, None], torch.cos(angle)[:, None]], dim=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--krill", type=int, default=1500)
    parser.add_argument("--cells", type=int, default=80)
    parser.add_argument("--hours", type=int, default=96)
    parser.add_argument("--oceans", type=int, default=3)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--seed", type=int, default=31)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as tmp:
        for i in range(args.oceans):
            simulate(args.krill, args.cells, args.hours, args.seed + i).to_csv(Path(tmp) / f"ocean{i}.csv")
        series = torch.stack([
            with_clock(pd.read_csv(Path(tmp) / f"ocean{i}.csv", index_col="hour")) for i in range(args.oceans)
        ])
    print(f"simulated {args.oceans * args.hours} hours in {time.perf_counter() - began:.2f} s")

    model = Emulator()
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.steps)
    fit, held = series[:-1], series[-1:]
    for step in range(args.steps):
        loss = F.mse_loss(model(fit[:, :-1]), fit[:, 1:, : len(COLUMNS)])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
    with torch.no_grad():
        error = F.mse_loss(model(held[:, :-1]), held[:, 1:, : len(COLUMNS)]).item()
    print(json.dumps({
        "train": round(loss.item(), 8),
        "held": round(error, 8),
        "final_count": round(held[0, -1, 0].item() * 1000),
        "weights": round(sum(p.double().sum().item() for p in model.parameters()), 7),
    }))


if __name__ == "__main__":
    main()
