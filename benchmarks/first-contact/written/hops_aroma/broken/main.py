"""Predict the oil fractions of hop samples from their gas chromatograms.

Raw traces are large on the real instrument, so preparation and training are kept apart: the traces are
baseline-corrected and binned in blocks, every block is spilled to disk, and training streams the blocks back.
"""
import json
import tempfile
from collections import deque
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from scipy.ndimage import minimum_filter1d, uniform_filter1d
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

OILS = ("myrcene", "humulene", "caryophyllene", "farnesene", "linalool")
RETENTION = np.array([210.0, 742.0, 705.0, 790.0, 355.0])
POINTS = 1200
BINS = 150


@dataclass(frozen=True)
class Settings:
    samples: int = 1920
    held_out: int = 240
    block: int = 120
    window: int = 256
    batch: int = 32
    epochs: int = 4
    lr: float = 2e-3
    seed: int = 17


class Instrument:
    """Stands in for the chromatograph: peaks at drifting retention times on a wandering baseline."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.axis = np.arange(POINTS, dtype=np.float64)

    def inject(self, count):
        fractions = self.rng.dirichlet([6.0, 3.0, 1.5, 1.0, 0.6], size=count)
        drift = self.rng.normal(0.0, 4.0, size=(count, 1))
        centres = RETENTION + drift + self.rng.normal(0.0, 1.0, size=(count, len(OILS)))
        widths = self.rng.uniform(7.0, 13.0, size=(count, len(OILS)))
        z = (self.axis[None, None, :] - centres[..., None]) / widths[..., None]
        trace = (fractions[..., None] * np.exp(-0.5 * z * z)).sum(axis=1)
        phase = self.rng.uniform(0, 2 * np.pi, size=(count, 1))
        baseline = 0.15 + 0.1 * np.sin(self.axis / 260.0 + phase)
        noise = self.rng.normal(0.0, 0.01, size=trace.shape)
        return trace + baseline + noise, fractions


class Preparation:
    """Corrects, bins and spills blocks of traces."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.written = 0

    @staticmethod
    def correct(traces):
        floor = minimum_filter1d(traces, size=121, axis=1)
        return traces - uniform_filter1d(floor, size=121, axis=1)

    @staticmethod
    def bin(traces):
        return traces.reshape(len(traces), BINS, POINTS // BINS).mean(axis=2)

    def spill(self, traces, fractions):
        features = self.bin(self.correct(traces)).astype(np.float32)
        with tempfile.NamedTemporaryFile(dir=self.folder, prefix="block-", suffix=".npz", delete=False) as out:
            np.savez(out, x=features, y=fractions.astype(np.float32))
        self.written += 1

    def blocks(self):
        return sorted(self.folder.glob("block-*.npz"))


class BlockStream(IterableDataset):
    """Streams samples block by block, mixed in a window, so that memory holds only a part of them."""

    def __init__(self, blocks, window, seed):
        self.blocks = blocks
        self.window = window
        self.seed = seed
        self.epoch = 0

    def samples(self):
        for path in self.blocks:
            with np.load(path) as block:
                yield from zip(block["x"], block["y"])

    def __iter__(self):
        rng = np.random.default_rng([self.seed, self.epoch])
        waiting = deque()
        for sample in self.samples():
            waiting.append(sample)
            if len(waiting) >= self.window:
                waiting.rotate(int(rng.integers(self.window)))
                yield waiting.popleft()
        rest = list(waiting)
        for i in rng.permutation(len(rest)):
            yield rest[i]


class AromaNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, 12, 7, padding=3), nn.GELU(), nn.MaxPool1d(3),
            nn.Conv1d(12, 24, 5, padding=2), nn.GELU(), nn.MaxPool1d(2),
            nn.Flatten(),
        )
        self.head = nn.Sequential(nn.Linear(24 * 25, 48), nn.GELU(), nn.Dropout(0.1), nn.Linear(48, len(OILS)))

    def forward(self, x):
        return self.head(self.features(x[:, None] * 4.0)).log_softmax(dim=1)


class Trainer:
    def __init__(self, settings):
        self.settings = settings
        torch.manual_seed(settings.seed)
        self.net = AromaNet()
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=settings.lr)
        self.loss = nn.KLDivLoss(reduction="batchmean")

    def fit(self, stream):
        loader = DataLoader(stream, batch_size=self.settings.batch)
        for epoch in range(self.settings.epochs):
            stream.epoch = epoch
            self.net.train()
            total, seen = 0.0, 0
            for x, y in loader:
                self.optimizer.zero_grad()
                loss = self.loss(self.net(x), y)
                loss.backward()
                self.optimizer.step()
                total += loss.item() * len(x)
                seen += len(x)
            print(f"epoch {epoch}  samples {seen}  divergence {total / seen:.6f}")

    @torch.no_grad()
    def score(self, x, y):
        self.net.eval()
        predicted = self.net(x).exp()
        return {oil: (predicted[:, i] - y[:, i]).abs().mean().item() for i, oil in enumerate(OILS)}


def main():
    settings = Settings()
    instrument = Instrument(settings.seed)
    preparation = Preparation("spill")
    for _ in range(settings.samples // settings.block):
        preparation.spill(*instrument.inject(settings.block))

    traces, fractions = instrument.inject(settings.held_out)
    x = torch.from_numpy(Preparation.bin(Preparation.correct(traces)).astype(np.float32))
    y = torch.from_numpy(fractions.astype(np.float32))

    trainer = Trainer(settings)
    blocks = preparation.blocks()
    print(f"{len(blocks)} blocks of {settings.block} samples")
    trainer.fit(BlockStream(blocks, settings.window, settings.seed))

    errors = trainer.score(x, y)
    for oil, error in errors.items():
        print(f"{oil:>14}  mean absolute error {error:.6f}")
    Path("errors.json").write_text(json.dumps(errors, indent=1))
    torch.save(trainer.net.state_dict(), "aroma.pt")
    for path in blocks:
        path.unlink()


if __name__ == "__main__":
    main()
