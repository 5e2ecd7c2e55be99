"""Which kind of fjord water does a mooring stand in?  Trains on short windows of long records."""
from __future__ import annotations

import asyncio
import json
import tempfile
import time
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
import torch
from torch import nn

import archive
from windows import WindowReader


@dataclass
class Settings:
    moorings: int = 48
    size: int = 96
    batch: int = 16
    steps: int = 160
    lr: float = 3e-3
    seed: int = 77


class RegimeNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(2, 24, 9, padding=4), nn.BatchNorm1d(24), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(24, 32, 9, padding=4), nn.ReLU(),
        )
        self.head = nn.Linear(64, len(archive.REGIMES))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.body(x)
        return self.head(torch.cat([h.mean(-1), h.amax(-1)], dim=1))


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, x: torch.Tensor, y: torch.Tensor) -> float:
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def evaluate(model: nn.Module, catalogue: list[archive.Mooring], size: int) -> float:
    model.eval()
    right = seen = 0
    with torch.no_grad():
        for mooring in catalogue:
            record = torch.from_numpy(WindowReader._read(mooring))
            x = record[:, : size * 20].reshape(2, 20, size).transpose(0, 1)
            right += (model(x).argmax(1) == mooring.regime).sum().item()
            seen += len(x)
    return right / seen


async def train(settings: Settings, catalogue: list[archive.Mooring], model: nn.Module) -> list[float]:
    picks = np.random.default_rng(settings.seed)
    reader = WindowReader(settings.size, np.random.default_rng(settings.seed + 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.lr)

    def upcoming() -> asyncio.Task:
        chosen = picks.choice(len(catalogue), settings.batch, replace=False)
        return asyncio.create_task(reader.batch([catalogue[i] for i in chosen]))

    losses, began = [], time.perf_counter()
    following = upcoming()
    for step in range(settings.steps):
        x, y = await following
        following = upcoming()
        losses.append(await asyncio.to_thread(train_step, model, optimizer, x, y))
        if step % 40 == 0:
            print(f"{time.perf_counter() - began:6.2f} s  step {step:3d}  loss {losses[-1]:.5f}  "
                  f"reading {reader.read_seconds:.2f} s", flush=True)
    await following
    return losses


def main() -> None:
    settings = Settings()
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    out = Path(__file__).resolve().parent / "results" / datetime.now().strftime("%Y%m%d-%H%M%S-%f")
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        catalogue = archive.build(Path(folder) / "train", settings.moorings, settings.seed)
        others = archive.build(Path(folder) / "held", 16, settings.seed + 5)
        model = RegimeNet()
        losses = asyncio.run(train(settings, catalogue, model))
        accuracy = evaluate(model, others, settings.size)
    print(f"held-out accuracy {accuracy:.4f}")
    torch.save(model.state_dict(), out / "regime.pt")
    summary = {"settings": asdict(settings), "loss": losses[::20] + losses[-1:], "accuracy": accuracy}
    (out / "results.json").write_text(json.dumps(summary, indent=1))


if __name__ == "__main__":
    main()
