"""Bobsled telemetry: read the logger files of a season, fit a GRU to the finish time."""
from __future__ import annotations

import io
import zipfile
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
import typer
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

app = typer.Typer(add_completion=False)

CHANNELS = ["speed", "lateral_g", "steer"]
CURVES = 12


class SledRun(NamedTuple):
    crew: int
    finish: float
    trace: torch.Tensor


class Welford:
    """Mean and variance of every channel in one pass."""

    def __init__(self, width: int):
        self.count = 0
        self.mean = np.zeros(width)
        self.m2 = np.zeros(width)

    def add(self, rows: np.ndarray) -> None:
        for row in rows:
            self.count += 1
            delta = row - self.mean
            self.mean += delta / self.count
            self.m2 += delta * (row - self.mean)

    def scale(self):
        return self.mean.astype(np.float32), np.sqrt(self.m2 / self.count).astype(np.float32)


def log_season(path: Path, runs: int, seed: int) -> None:
    """The archive that the timing hut hands over: one CSV for each descent."""
    rng = np.random.default_rng(seed)
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(runs):
            crew = int(rng.integers(8))
            skill = 0.1 * crew + rng.normal(0, 0.15)
            samples = int(rng.integers(36, 61))
            along = np.linspace(0, 1, samples)
            curve = np.sin(along * CURVES * np.pi)
            steer = 0.3 * curve + rng.normal(0, 0.05 + 0.02 * abs(skill - 0.4), samples)
            speed = 8 + 27 * along ** (0.6 - 0.1 * skill) - 1.5 * np.abs(steer) + rng.normal(0, 0.2, samples)
            lateral = speed**2 / 900 * curve + rng.normal(0, 0.1, samples)
            finish = 1250 / speed.mean() + rng.normal(0, 0.05)
            lines = [f"# crew={crew} finish={finish:.4f}", ",".join(CHANNELS)]
            lines += [f"{a:.4f},{b:.4f},{c:.4f}" for a, b, c in zip(speed, lateral, steer)]
            archive.writestr(f"descent_{number:04d}.csv", "\n".join(lines))


def read_descent(blob: bytes) -> SledRun:
    header, rest = blob.decode().split("\n", 1)
    fields = dict(item.split("=") for item in header[2:].split())
    rows = np.loadtxt(io.StringIO(rest), delimiter=",", skiprows=1, dtype=np.float32)
    return SledRun(int(fields["crew"]), float(fields["finish"]), torch.from_numpy(rows))


def read_season(path: Path, readers: int) -> list[SledRun]:
    with zipfile.ZipFile(path) as archive, ThreadPoolExecutor(readers) as pool:
        futures = [pool.submit(read_descent, archive.read(name)) for name in sorted(archive.namelist())]
        done, pending = wait(futures)
        assert not pending
        return [future.result() for future in futures]


class FinishModel(nn.Module):
    def __init__(self, hidden: int = 24):
        super().__init__()
        self.crew = nn.Embedding(8, 4)
        self.gru = nn.GRU(len(CHANNELS), hidden, batch_first=True)
        self.out = nn.Linear(hidden + 4, 1)

    def forward(self, traces, lengths, crews):
        packed = pack_padded_sequence(traces, lengths, batch_first=True, enforce_sorted=False)
        _, last = self.gru(packed)
        return self.out(torch.cat([last[-1], self.crew(crews)], dim=1)).squeeze(1)


def collate(runs: list[SledRun], mean, std, centre: float):
    traces = pad_sequence([(run.trace - mean) / std for run in runs], batch_first=True)
    lengths = torch.tensor([len(run.trace) for run in runs])
    crews = torch.tensor([run.crew for run in runs])
    return traces, lengths, crews, torch.tensor([run.finish - centre for run in runs])


@app.command()
def main(runs: int = 480, readers: int = 4, epochs: int = 5, batch: int = 24, seed: int = 19, out: Path = Path("sled")):
    out.mkdir(exist_ok=True)
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    archive = out / "season.zip"
    log_season(archive, runs, seed)
    season = read_season(archive, readers)

    stats = Welford(len(CHANNELS))
    for run in season:
        stats.add(run.trace.numpy().astype(np.float64))
    mean, std = map(torch.from_numpy, stats.scale())
    held = len(season) // 6
    test, train = season[:held], season[held:]
    centre = float(np.mean([run.finish for run in train]))

    model = FinishModel()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=4e-3)
    for epoch in range(epochs):
        total = 0.0
        for rows in torch.randperm(len(train)).split(batch):
            *inputs, finish = collate([train[i] for i in rows], mean, std, centre)
            loss = nn.functional.huber_loss(model(*inputs), finish)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        typer.echo(f"epoch {epoch}: {total / len(train):.6f}")

    model.eval()
    with torch.no_grad():
        *inputs, finish = collate(test, mean, std, centre)
        error = (model(*inputs) - finish).abs()
    typer.echo(f"held-out descents: mean error {error.mean():.5f} s, worst {error.max():.5f} s")
    torch.save({"model": model.state_dict(), "mean": mean, "std": std}, out / "finish.pt")


if __name__ == "__main__":
    app()
