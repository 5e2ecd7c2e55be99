"""Scans of hazelnut lots, prepared in processes and kept as one file for each lot."""
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter

SIDE = 20


@dataclass(frozen=True)
class Lot:
    number: int
    nuts: int
    seed: int
    folder: str


def scan(rng, rotten):
    yy, xx = np.mgrid[0:SIDE, 0:SIDE] - SIDE / 2
    radius = rng.uniform(6, 9)
    shade = np.clip(1.2 - np.hypot(xx, yy * rng.uniform(0.9, 1.1)) / radius, 0, 1) * 200
    if rotten:
        y, x = rng.uniform(-3, 3, 2)
        shade *= 1 - 0.6 * np.exp(-((xx - x) ** 2 + (yy - y) ** 2) / 6)
    noisy = np.clip(shade + rng.normal(0, 12, shade.shape), 0, 255).astype(np.uint8)
    return np.asarray(Image.fromarray(noisy).filter(ImageFilter.GaussianBlur(0.7)))


def prepare(lot):
    rng = np.random.default_rng([lot.seed, lot.number])
    labels = (rng.random(lot.nuts) < 0.35).astype(np.int64)
    images = np.stack([scan(rng, bad) for bad in labels])
    target = Path(lot.folder) / f"lot_{lot.number:03d}.npz"
    with tempfile.NamedTemporaryFile(dir=lot.folder, suffix=".part", delete=False) as handle:
        np.savez(handle, images=images, labels=labels, lot=lot.number)
    Path(handle.name).rename(target)
    return len(labels)


def prepare_all(count, nuts, seed, folder):
    lots = [Lot(k, nuts, seed, str(folder)) for k in range(count)]
    with ProcessPoolExecutor(max_workers=2, mp_context=get_context("fork")) as pool:
        return sum(pool.map(prepare, lots, chunksize=2))


def read_all(folder):
    images, labels = [], []
    for path in sorted(Path(folder).glob("*.npz")):
        with np.load(path) as data:
            images.append(data["images"])
            labels.append(data["labels"])
    return np.concatenate(images), np.concatenate(labels)
