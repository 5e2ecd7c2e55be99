"""Weekly salmon returns from river gauges and from hatchery sheets; rivers of the north are the test."""
import csv
import hashlib
import json
import logging
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from sources import merge, read_gauges, read_sheets

log = logging.getLogger("salmon")
MEASURES = ["flow_mean", "flow_peak", "temp_mean", "temp_max", "oxygen", "turbidity", "nitrate", "ph", "moon",
            "sea_temp", "upwelling", "smolts_2y", "smolts_3y", "seals", "dam_passes", "rain_week"]


def write_sources(folder, seed, rivers=12, weeks=110):
    """Two agencies, each with columns the other does not know."""
    rng = np.random.default_rng(seed)
    w = rng.normal(0, 0.6, len(MEASURES))
    gauges, sheets = [], []
    for r in range(rivers):
        x = rng.normal(0, 1, (weeks, len(MEASURES))).cumsum(0) * 0.12 + rng.normal(0, 0.8, len(MEASURES))
        run = np.exp(np.tanh(x @ w) + 0.4 * x[:, 0] * x[:, 2] / (1 + x[:, 2] ** 2) + rng.normal(0, 0.1, weeks))
        for t in range(weeks):
            row = {"river": f"river{r:02d}", "week": t, "run": round(float(run[t]), 5)}
            row.update({m: round(float(v), 4) for m, v in zip(MEASURES, x[t])})
            (gauges if r % 2 else sheets).append(row)
    with open(folder / "gauges.csv", "w", newline="") as f:
        out = csv.DictWriter(f, [*gauges[0], "battery"])
        out.writeheader()
        out.writerows({**row, "battery": 12.4} for row in gauges)
    with open(folder / "sheets.jsonl", "w") as f:
        for row in sheets:
            f.write(json.dumps({**row, "observer": "kk", "fed_kg": 3}) + "\n")


class Returns(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.gate = nn.Sequential(nn.Linear(n, n), nn.Sigmoid())
        self.body = nn.Sequential(nn.LayerNorm(n), nn.Linear(n, 64), nn.SiLU(), nn.Dropout(0.1), nn.Linear(64, 1))

    def forward(self, x):
        return self.body(x * self.gate(x)).squeeze(1)


def fit(net, x, y, gen, epochs):
    opt = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=1e-2)
    for epoch in range(epochs):
        began, total = time.perf_counter(), 0.0
        for rows in torch.randperm(len(x), generator=gen).split(64):
            loss = nn.functional.huber_loss(net(x[rows]), y[rows])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            total += loss.item() * len(rows)
        if epoch % 6 == 5:
            log.info("epoch %d: %.6f (%.0f rows/s)", epoch, total / len(x), len(x) / (time.perf_counter() - began))


def skill(pred, y):
    return 1 - ((pred - y) ** 2).sum().item() / ((y - y.mean()) ** 2).sum().item()


def main():
    torch.set_num_threads(1)
    torch.manual_seed(17)
    gen = torch.Generator().manual_seed(18)
    with tempfile.TemporaryDirectory() as tmp:
        folder = Path(tmp)
        handler = logging.FileHandler(folder / "fit.log")
        logging.basicConfig(level=logging.INFO, handlers=[handler])
        write_sources(folder, 19)
        table = merge(read_gauges(folder / "gauges.csv"), read_sheets(folder / "sheets.jsonl"))
        north = np.isin(table.rivers, ["river10", "river11"])
        x, y = torch.tensor(table.x), torch.tensor(table.y).log()
        mean, std = x[~north].mean(0), x[~north].std(0)
        x = (x - mean) / std
        net = Returns(x.shape[1])
        fit(net, x[~north], y[~north], gen, epochs=24)
        handler.close()
        print((folder / "fit.log").read_text(), end="")
    net.eval()
    with torch.no_grad():
        print(f"{len(table.names)} measures, skill north {skill(net(x[north]), y[north]):.6f},",
              f"others {skill(net(x[~north]), y[~north]):.6f}")
    digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in net.parameters()))
    print("weights", digest.hexdigest()[:20])


if __name__ == "__main__":
    main()
