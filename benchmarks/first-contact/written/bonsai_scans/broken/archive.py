"""Scans of bonsai leaves on disk: one PNG each, and an index with the species."""

import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

SPECIES = ["juniper", "maple", "elm", "ficus"]


def draw_leaf(index, seed, size=32):
    rng = np.random.default_rng([seed, index])
    kind = int(rng.integers(len(SPECIES)))
    image = Image.new("L", (size, size), int(rng.integers(20, 60)))
    pen = ImageDraw.Draw(image)
    centre = size / 2 + rng.normal(0, 2, 2)
    lobes, reach = 3 + 2 * kind, size * rng.uniform(0.28, 0.42)
    angle = np.linspace(0, 2 * np.pi, 60) + rng.uniform(0, np.pi)
    radius = reach * (1 + 0.35 * np.cos(lobes * angle)) / 1.35
    outline = np.stack([centre[0] + radius * np.cos(angle), centre[1] + radius * np.sin(angle)], 1)
    pen.polygon([tuple(p) for p in outline], fill=int(rng.integers(130, 220)))
    return image.filter(ImageFilter.GaussianBlur(0.7)), SPECIES[kind]


def save_anew(image, folder):
    """Writes into a file of its own, so that no two threads meet in one."""
    handle, path = tempfile.mkstemp(prefix="leaf_", suffix=".png", dir=folder)
    with os.fdopen(handle, "wb") as stream:
        image.save(stream, format="PNG")
    return Path(path)


def store(folder, index, seed):
    image, species = draw_leaf(index, seed)
    path = save_anew(image, folder)
    return path.name, species


def build(folder, count, seed):
    folder = Path(folder)
    with ThreadPoolExecutor(4) as pool:
        entries = list(pool.map(lambda index: store(folder, index, seed), range(count)))
    (folder / "index.json").write_text(json.dumps(dict(entries), indent=1))
    return folder


def open_archive(folder):
    """Paths of the scans with their labels, in the order of their names."""
    labels = json.loads((folder / "index.json").read_text())
    paths = sorted(folder.glob("leaf_*.png"))
    return [(path, SPECIES.index(labels[path.name])) for path in paths]
