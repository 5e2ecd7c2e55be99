#!/usr/bin/env python
# Balloon soundings -> parquet archive, one launch after the other -> dew-point model per level.
import io
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

STATIONS = ("lerwick", "lindenberg", "payerne", "sodankyla")
FEATURES = ["pressure", "temperature", "wind_u", "wind_v", "lapse"]
LAUNCHES = 24


def transmit(launch, rng):
    """What the ground station writes down: one text telegram per balloon."""
    levels = np.linspace(1005.0, 85.0, 110) + rng.uniform(-3.0, 3.0, 110)
    height = 44.3 * (1 - (levels / 1013.0) ** 0.19)
    surface = rng.normal(11.0, 6.0)
    temperature = surface - 6.4 * np.minimum(height, 11.0) + rng.normal(0, 0.6, levels.size)
    moist = rng.beta(3, 2) * np.exp(-height / 7.0)
    dew = temperature - 28.0 * (1 - moist) + rng.normal(0, 0.8, levels.size)
    u = 4.0 + 2.4 * height + rng.normal(0, 2.0, levels.size)
    v = rng.normal(0, 3.0) + rng.normal(0, 1.5, levels.size)
    lines = ["pressure,temperature,dew_point,wind_u,wind_v"]
    lines += ["%.1f,%.2f,%.2f,%.2f,%.2f" % row for row in zip(levels, temperature, dew, u, v)]
    return STATIONS[launch % len(STATIONS)], "\n".join(lines)


def decode(telegram):
    frame = pd.read_csv(io.StringIO(telegram))
    frame["lapse"] = frame.temperature.diff().fillna(0.0) / frame.pressure.diff().fillna(-1.0)
    frame["depression"] = frame.temperature - frame.dew_point
    return frame


def archive(root, rng):
    for launch in range(LAUNCHES):
        station, telegram = transmit(launch, rng)
        frame = decode(telegram)
        frame.insert(0, "station", station)
        pq.write_to_dataset(
            pa.Table.from_pandas(frame, preserve_index=False),
            root_path=root,
            partition_cols=["station"],
            basename_template=f"launch-{launch:04d}-{{i}}.parquet",
        )


def load(root):
    table = pq.read_table(root)
    frame = table.to_pandas()
    x = torch.tensor(frame[FEATURES].to_numpy(np.float32))
    station = torch.from_numpy(
        pd.Categorical(frame.station, categories=STATIONS).codes.astype(np.int64)
    )
    y = torch.tensor(frame.depression.to_numpy(np.float32))
    return x, station, y


class DewPoint(nn.Module):
    def __init__(self):
        super().__init__()
        self.site = nn.Embedding(len(STATIONS), 4)
        self.norm = nn.BatchNorm1d(len(FEATURES))
        self.net = nn.Sequential(
            nn.Linear(len(FEATURES) + 4, 40),
            nn.ELU(),
            nn.Linear(40, 40),
            nn.ELU(),
            nn.Linear(40, 1),
        )

    def forward(self, x, station):
        return self.net(torch.cat([self.norm(x), self.site(station)], dim=1)).squeeze(1)


def train(model, loader, epochs):
    opt = torch.optim.SGD(model.parameters(), lr=2e-3, momentum=0.9)
    for epoch in range(1, epochs + 1):
        model.train()
        seen, squared = 0, 0.0
        for x, station, y in loader:
            loss = nn.functional.mse_loss(model(x, station), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            seen += len(y)
            squared += loss.item() * len(y)
        print(f"epoch {epoch}: rmse {np.sqrt(squared / seen):.5f} K")


def by_station(model, x, station, y):
    model.eval()
    with torch.no_grad():
        error = model(x, station) - y
    for code, name in enumerate(STATIONS):
        here = error[station == code]
        print(f"  {name:<11} {len(here):5d} levels  bias {here.mean():+.4f}  mae {here.abs().mean():.4f}")


def main():
    torch.manual_seed(850)
    rng = np.random.default_rng(850)
    with tempfile.TemporaryDirectory(prefix="soundings-") as folder:
        root = Path(folder) / "archive"
        archive(root, rng)
        x, station, y = load(root)
    print(f"{len(x)} levels from {LAUNCHES} launches, mean depression {y.double().mean():.4f} K")

    loader = DataLoader(
        TensorDataset(x, station, y),
        batch_size=64,
        shuffle=True,
        generator=torch.Generator().manual_seed(500),
    )
    model = DewPoint()
    train(model, loader, epochs=6)
    by_station(model, x, station, y)
    torch.save(model.state_dict(), "dewpoint.pt")


if __name__ == "__main__":
    main()
