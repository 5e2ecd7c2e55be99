"""Gap-filling of methane fluxes over tundra with a recurrent network."""
import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn

from snapshots import Snapshots

DRIVERS = ["soil_temp", "water_table", "pressure", "wind"]


def make_station(days: int, rng: np.random.Generator) -> pd.DataFrame:
    when = pd.date_range("2021-05-20", periods=days * 24, freq="h")
    hour = np.arange(len(when))
    frame = pd.DataFrame(index=when)
    frame["soil_temp"] = 4 + 6 * np.sin(2 * np.pi * hour / (24 * 130)) + 2 * np.sin(2 * np.pi * hour / 24)
    frame["soil_temp"] += rng.normal(0, 0.4, len(hour))
    frame["water_table"] = pd.Series(rng.normal(0, 1, len(hour)), index=when).ewm(halflife=60).mean() * 12
    frame["pressure"] = pd.Series(rng.normal(0, 1, len(hour)), index=when).ewm(halflife=30).mean() * 20
    frame["wind"] = rng.gamma(3.0, 1.3, len(hour))
    lag = frame["soil_temp"].rolling(12, min_periods=1).mean()
    frame["flux"] = np.exp(0.12 * lag + 0.08 * frame["water_table"]) - 0.06 * frame["pressure"].diff().fillna(0) * 8
    frame["flux"] += rng.normal(0, 0.25, len(hour))
    frame.loc[rng.random(len(frame)) < 0.3, "flux"] = np.nan
    return frame


def windows(frame: pd.DataFrame, length: int):
    drivers = frame[DRIVERS]
    x = ((drivers - drivers.mean()) / drivers.std()).to_numpy(dtype=np.float32)
    y = frame["flux"].to_numpy(dtype=np.float32)
    ends = [i for i in range(length, len(frame)) if not np.isnan(y[i])]
    return (torch.from_numpy(np.stack([x[i - length + 1:i + 1] for i in ends])),
            torch.from_numpy(y[ends]))


class Filler(nn.Module):
    def __init__(self, hidden: int = 24):
        super().__init__()
        self.rnn = nn.GRU(len(DRIVERS), hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1]).squeeze(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--days", type=int, default=110)
    parser.add_argument("--length", type=int, default=16)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=48)
    parser.add_argument("--every", type=int, default=20, help="steps between snapshots")
    parser.add_argument("--keep", type=int, default=6)
    parser.add_argument("--seed", type=int, default=77)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    x, y = windows(make_station(args.days, np.random.default_rng(args.seed)), args.length)
    cut = int(0.8 * len(x))
    model = Filler()
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-3)
    picks = torch.Generator().manual_seed(args.seed)

    with tempfile.TemporaryDirectory(prefix="fluxes-") as folder:
        snapshots = Snapshots(Path(folder), args.every, args.keep)
        began = time.perf_counter()
        for step in range(1, args.steps + 1):
            rows = torch.randint(cut, (args.batch,), generator=picks)
            loss = nn.functional.huber_loss(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            snapshots.maybe_save(model, step, loss.item())
            if step % 75 == 0:
                print(f"step {step}  loss {loss.item():.7f}")
        print(f"{args.steps * args.batch / (time.perf_counter() - began):.0f} windows/s")
        model.load_state_dict(snapshots.average())

    model.eval()
    with torch.no_grad():
        guess = model(x[cut:])
    print(f"mean of {len(snapshots.saved)} snapshots, rmse {(guess - y[cut:]).square().mean().sqrt().item():.8f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
