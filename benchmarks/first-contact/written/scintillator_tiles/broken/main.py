"""Tells electrons, muons and photons apart on a wall of 24 x 24 scintillator tiles."""
import argparse
import tempfile
import time
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from calibrate import Calibration

SIDE = 24
KINDS = ("electron", "muon", "photon")


@dataclass
class Config:
    events: int = 720
    epochs: int = 4
    batch: int = 32
    lr: float = 2e-3
    seed: int = 23


def take_events(folder: Path, config: Config) -> Path:
    """Simulates a run of the wall and stores raw counts and calibration constants."""
    rng = np.random.default_rng(config.seed)
    pedestal = rng.normal(180, 12, (SIDE, SIDE)).round()
    gain = rng.uniform(0.8, 1.2, (SIDE, SIDE))
    Calibration(pedestal, gain).save(folder / "constants.json")
    rows, cols = np.mgrid[:SIDE, :SIDE]
    kinds = rng.integers(0, len(KINDS), config.events)
    raw = np.empty((config.events, SIDE, SIDE), np.uint16)
    for event, kind in enumerate(kinds):
        r, c = rng.uniform(7, 17, 2)
        if kind == 1:
            angle = rng.uniform(0, np.pi)
            distance = np.abs((rows - r) * np.cos(angle) - (cols - c) * np.sin(angle))
            signal = 160 * np.exp(-(distance / 0.8) ** 2)
        else:
            spread = 2.0 if kind == 0 else 2.7
            signal = rng.gamma(9, 60) * np.exp(-((rows - r) ** 2 + (cols - c) ** 2) / (2 * spread ** 2))
        counts = pedestal + rng.poisson(signal / gain) + rng.normal(0, 5, (SIDE, SIDE))
        raw[event] = np.clip(counts, 0, 4095).astype(np.uint16)
    path = folder / "run_0417.npz"
    np.savez_compressed(path, raw=raw, kinds=kinds)
    return path


class Events(Dataset):
    def __init__(self, path: Path, chosen: np.ndarray, flip: bool):
        stored = np.load(path)
        self.raw, self.kinds = stored["raw"][chosen], stored["kinds"][chosen]
        self.calibration = Calibration.load(path.parent / "constants.json")
        self.flip = flip

    def __len__(self):
        return len(self.raw)

    def __getitem__(self, index):
        light = torch.from_numpy(self.calibration.light(self.raw[index]))[None] / 16.0
        if self.flip and torch.rand(()) < 0.5:
            light = light.flip(-1)
        return light, int(self.kinds[index])


def network():
    return nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(24 * 36, len(KINDS)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in vars(Config()).items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    config = Config(**vars(parser.parse_args()))
    torch.manual_seed(config.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory(prefix="tiles-") as folder:
        path = take_events(Path(folder), config)
        shuffled = np.random.default_rng(config.seed + 1).permutation(config.events)
        cut = config.events * 4 // 5
        train = DataLoader(Events(path, shuffled[:cut], True), config.batch, shuffle=True, num_workers=2,
                           persistent_workers=True, generator=torch.Generator().manual_seed(config.seed))
        test = DataLoader(Events(path, shuffled[cut:], False), 72)

        model = network()
        optimizer = torch.optim.Adam(model.parameters(), lr=config.lr)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, config.epochs * len(train))
        start = time.monotonic()
        for epoch in range(config.epochs):
            losses = []
            for light, kinds in train:
                loss = nn.functional.cross_entropy(model(light), kinds)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 5.0)
                optimizer.step()
                schedule.step()
                losses.append(loss.item())
            print(f"epoch {epoch + 1}: loss {np.mean(losses):.5f}")
        print(f"{config.epochs * cut / (time.monotonic() - start):.0f} events per second")

        model.eval()
        table = torch.zeros(len(KINDS), len(KINDS), dtype=torch.long)
        nll = 0.0
        with torch.no_grad():
            for light, kinds in test:
                scores = model(light)
                nll += nn.functional.cross_entropy(scores, kinds, reduction="sum").item()
                for truth, guess in zip(kinds.tolist(), scores.argmax(1).tolist()):
                    table[truth, guess] += 1
    for kind, row in zip(KINDS, table.tolist()):
        print(f"{kind:>9}: {row}")
    crc = 0
    for p in model.parameters():
        crc = zlib.crc32(p.detach().numpy().tobytes(), crc)
    print(f"test nll {nll / (config.events - cut):.6f}  crc of weights {crc:08x}")


if __name__ == "__main__":
    main()
