"""Learns an embedding in which copies of one stamp issue lie together."""
from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

from memory import AgedMemory
from stamps import Album
from timing import StepCount, Stopwatch


@dataclass(frozen=True)
class Config:
    issues: int = 60
    per_batch: int = 12
    batches: int = 300
    max_age: float = 50
    margin: float = 0.5
    lr: float = 4e-3
    seed: int = 19


class Embedder(nn.Module):
    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 12, 5, stride=2), nn.ReLU(), nn.Conv2d(12, 24, 3, stride=2), nn.ReLU())
        self.out = nn.Linear(24 * 9, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.normalize(self.out(self.conv(x).flatten(1)), dim=1)


def pair_loss(a: torch.Tensor, ia: torch.Tensor, b: torch.Tensor, ib: torch.Tensor, margin: float) -> torch.Tensor:
    likeness = a @ b.T
    same = ia[:, None] == ib[None, :]
    attract = (1 - likeness)[same].sum() / same.sum().clamp(min=1)
    near = F.relu(likeness - margin)[~same]
    return attract + near.sum() / (near > 0).sum().clamp(min=1)


@torch.no_grad()
def recall_at_1(model: nn.Module, album: Album, issues: int, pool: ThreadPoolExecutor) -> float:
    images, labels = album.batch(pool, list(range(issues)), 1_000_000)
    vectors = model(images)
    likeness = (vectors @ vectors.T).fill_diagonal_(-2)
    return (labels[likeness.argmax(1)] == labels).float().mean().item()


def main(config: Config) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(config.seed)
    chooser = random.Random(config.seed)
    steps, watch = StepCount(), Stopwatch()
    album = Album(config.issues, config.seed)
    model = Embedder()
    optimizer = torch.optim.Adam(model.parameters(), lr=config.lr)
    memory = AgedMemory(config.max_age, clock=watch.read)
    curve = []
    with ThreadPoolExecutor(2) as pool:
        for number in range(config.batches):
            images, issues = album.batch(pool, chooser.sample(range(config.issues), config.per_batch), number)
            vectors = model(images)
            loss = pair_loss(vectors, issues, vectors, issues, config.margin)
            earlier = memory.read()
            if earlier is not None:
                loss = loss + pair_loss(vectors, issues, *earlier, config.margin)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            steps.advance()
            memory.add(vectors, issues)
            if number % 60 == 59:
                curve.append(loss.item())
                print(f"{watch.read() / 1000:5.1f} s  batch {number + 1}  loss {loss.item():.5f}", flush=True)
        recall = recall_at_1(model, album, config.issues, pool)
    print(f"recall at 1: {recall:.4f}")
    out = Path(__file__).resolve().parent / "out"
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "embedder.pt")
    report = {"config": asdict(config), "curve": curve, "recall": recall, "seconds": watch.read() / 1000}
    (out / "report.json").write_text(json.dumps(report, indent=2))


if __name__ == "__main__":
    main(Config())
