"""Patients' wound measurements: written out per patient, read back, divided."""
import csv
import os
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

COLUMNS = ["week", "area_cm2", "depth_mm", "exudate", "abi"]
WEEKS = 8


@dataclass
class Patient:
    name: str
    fold: int
    visits: np.ndarray
    healed: float


def export(folder: Path, n: int, seed: int) -> None:
    """What the clinic's export would give: one csv per patient."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        rate = rng.normal(0.12, 0.09)
        area = rng.gamma(3.0, 2.0)
        abi = rng.normal(0.85, 0.12)
        with open(folder / f"patient_{i:04d}.csv", "w", newline="") as f:
            out = csv.writer(f)
            out.writerow(COLUMNS)
            for week in range(WEEKS):
                size = max(0.0, area * np.exp(-rate * week) + rng.normal(0, 0.3))
                out.writerow([week, f"{size:.3f}", f"{rng.gamma(2, 1.2):.2f}",
                              int(rng.integers(0, 4)), f"{abi + rng.normal(0, .03):.3f}"])
            out.writerow(["outcome", int(rate + 0.1 * (abi - 0.85) > 0.12), "", "", ""])


def fold_of(key: str, folds: int) -> int:
    # crc32 and not hash(): the same on every machine and in every process
    return zlib.crc32(key.encode("utf-8")) % folds


def read_patient(path: Path, folds: int) -> Patient:
    with open(path, newline="") as f:
        rows = list(csv.reader(f))[1:]
    visits = np.array([[float(v) for v in r] for r in rows[:-1]], dtype=np.float32)
    return Patient(path.stem, fold_of(str(path), folds), visits, float(rows[-1][1]))


def load(folder: Path, folds: int) -> list[Patient]:
    paths = [Path(e.path) for e in os.scandir(folder) if e.name.endswith(".csv")]
    return [read_patient(p, folds) for p in sorted(paths)]
