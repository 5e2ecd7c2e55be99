"""Forecasts of the stage at several weirs; stations that validate badly get more weight."""
import argparse
import math
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

STATIONS = 6
HISTORY = 48


@dataclass
class Season:
    inputs: torch.Tensor      # windows x HISTORY
    station: torch.Tensor
    target: torch.Tensor

    def __len__(self):
        return len(self.target)


def record(hours, generator):
    """Hourly stage at every weir: tides of rain, noise, slow recession."""
    t = torch.arange(hours)
    series = []
    for station in range(STATIONS):
        rain = torch.rand(hours, generator=generator).pow(12) * (1 + station)
        level, flow = [], 0.0
        for amount in rain.tolist():
            flow = 0.97 * flow + amount
            level.append(flow)
        noise = 0.05 * (1 + station) * torch.randn(hours, generator=generator)
        series.append(torch.tensor(level) + 0.3 * torch.sin(2 * math.pi * t / 24) + noise)
    return torch.stack(series)


def windows(series, stride):
    inputs, station, target = [], [], []
    for number, row in enumerate(series):
        for start in range(0, len(row) - HISTORY - 6, stride):
            inputs.append(row[start:start + HISTORY])
            station.append(number)
            target.append(row[start + HISTORY + 5])
    return Season(torch.stack(inputs), torch.tensor(station), torch.stack(target))


class StageNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.station = nn.Embedding(STATIONS, 8)
        self.body = nn.Sequential(
            nn.Linear(HISTORY + 8, 96), nn.ReLU(), nn.Dropout(0.2), nn.Linear(96, 96), nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(96, 1))

    def forward(self, inputs, station):
        last = inputs[:, -1]
        return last + self.body(torch.cat([inputs - last[:, None], self.station(station)], 1)).squeeze(1)


@torch.no_grad()
def station_errors(model, season, chunk=64):
    """Mean absolute error of every station."""
    model.eval()
    total, count = torch.zeros(STATIONS), torch.zeros(STATIONS)
    for start in range(0, len(season), chunk):
        part = slice(start, start + chunk)
        error = (model(season.inputs[part], season.station[part]) - season.target[part]).abs()
        total.index_add_(0, season.station[part], error)
        count.index_add_(0, season.station[part], torch.ones_like(error))
    return total / count


def train_epoch(model, optimizer, season, weight, generator, batch=48):
    model.train()
    running = 0.0
    for rows in torch.randperm(len(season), generator=generator).split(batch):
        output = model(season.inputs[rows], season.station[rows])
        loss = nn.functional.huber_loss(output, season.target[rows], reduction="none")
        loss = (loss * weight[season.station[rows]]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item() * len(rows)
    return running / len(season)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=11)
    parser.add_argument("--seed", type=int, default=19)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(args.seed)
    train, valid = windows(record(1400, generator), 3), windows(record(900, generator), 2)

    model = StageNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    weight, pending, scores = torch.ones(STATIONS), None, []
    began = time.perf_counter()
    with ThreadPoolExecutor(1, thread_name_prefix="validate") as pool, tempfile.TemporaryDirectory() as folder:
        for epoch in range(args.epochs):
            loss = train_epoch(model, optimizer, train, weight, generator)
            if pending is not None:
                errors = pending.result()
                weight = errors / errors.mean()
                scores.append(errors.mean().item())
                print(f"epoch {epoch - 1}: validation error {scores[-1]:.6f}")
            torch.save({"epoch": epoch, "model": model.state_dict()}, Path(folder) / "last.pt")
            pending = pool.submit(station_errors, model, valid)
        errors = pending.result()
        size = (Path(folder) / "last.pt").stat().st_size
    print(f"{time.perf_counter() - began:.2f} s, checkpoint {size} bytes")
    print("stations " + " ".join(f"{error:.5f}" for error in errors.tolist()))
    print(f"loss {loss:.8f}, weights {sum(p.double().abs().sum().item() for p in model.parameters()):.8f}")


if __name__ == "__main__":
    main()
