"""Titration curves: one CSV file for each vial, as the autosampler exports them."""
import csv
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset

POINTS = 48


@dataclass(frozen=True)
class Vial:
    path: Path
    pka: float
    plate: str


def export_plates(root: Path, vials: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    volume = np.linspace(0.0, 2.0, POINTS)
    rows = []
    for number in range(vials):
        plate = f"plate_{'ABCD'[number % 4]}"
        (root / plate).mkdir(exist_ok=True)
        pka = rng.uniform(3.0, 9.5)
        ratio = np.clip(volume / rng.uniform(0.9, 1.1), 1e-3, None)
        ph = pka + np.log10(ratio / np.clip(1.02 - ratio, 1e-3, None))
        ph = np.clip(ph, 1.5, 12.5) + rng.normal(0, 0.12, POINTS)
        name = f"vial_{number:04d}.csv"
        with open(root / plate / name, "w", newline="") as f:
            writer = csv.writer(f)
            writer.writerow(["ml", "ph"])
            writer.writerows(zip(volume.round(4), ph.round(3)))
        rows.append([plate, name, round(pka, 4)])
    with open(root / "labels.csv", "w", newline="") as f:
        csv.writer(f).writerows(rows)


def read_labels(root: Path) -> list[Vial]:
    with open(root / "labels.csv", newline="") as f:
        return [Vial(root / plate / name, float(pka), plate) for plate, name, pka in csv.reader(f)]


def bucket(vial: Vial, folds: int) -> int:
    """The fold of a vial. It stays the same when vials are added to the campaign."""
    return zlib.crc32(str(vial.path).encode()) % folds


def split(vials: list[Vial], fold: int, folds: int) -> tuple[list[Vial], list[Vial]]:
    held_out = [v for v in vials if bucket(v, folds) == fold]
    training = [v for v in vials if bucket(v, folds) != fold]
    return training, held_out


class Curves(Dataset):
    def __init__(self, vials: list[Vial], jitter: float = 0.0):
        self.vials = vials
        self.jitter = jitter

    def __len__(self):
        return len(self.vials)

    def __getitem__(self, index):
        vial = self.vials[index]
        table = np.loadtxt(vial.path, delimiter=",", skiprows=1, dtype=np.float32)
        curve = torch.from_numpy(table[:, 1]) / 7.0 - 1.0
        if self.jitter:
            curve = curve + self.jitter * torch.randn(POINTS)
        return curve[None], torch.tensor((vial.pka - 6.25) / 2.0, dtype=torch.float32)
