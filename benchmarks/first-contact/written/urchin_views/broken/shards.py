"""Renders sea urchins into shards of images, a few processes at a time."""
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from uuid import uuid4

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

SIZE = 16


def urchin(rng: np.random.Generator, species: int) -> np.ndarray:
    image = Image.new("L", (SIZE * 2, SIZE * 2), int(rng.integers(0, 40)))
    draw = ImageDraw.Draw(image)
    c = SIZE + rng.normal(0, 1.5, 2)
    spines, reach = 6 + 4 * species, rng.uniform(9, 14)
    turn = rng.uniform(0, 2 * np.pi)
    for k in range(spines):
        a = turn + 2 * np.pi * k / spines
        tip = c + reach * np.array([np.cos(a), np.sin(a)])
        draw.line([tuple(c), tuple(tip)], fill=150 + 20 * species, width=1)
    r = 3 + species
    draw.ellipse([c[0] - r, c[1] - r, c[0] + r, c[1] + r], fill=230)
    image = image.filter(ImageFilter.GaussianBlur(0.8)).resize((SIZE, SIZE), Image.Resampling.BILINEAR)
    return np.asarray(image, dtype=np.uint8)


def render(job: tuple[str, int, int, int]) -> str:
    folder, shard, count, seed = job
    rng = np.random.default_rng([seed, shard])
    species = rng.integers(0, 4, count)
    images = np.stack([urchin(rng, int(s)) for s in species])
    path = Path(folder) / f"shard-{uuid4().hex}.npz"
    np.savez(path, images=images, species=species)
    return path.name


def render_all(folder: str, shards: int, count: int, seed: int) -> int:
    jobs = [(folder, i, count, seed) for i in range(shards)]
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        return len(list(pool.map(render, jobs)))


def load_all(folder: str) -> tuple[np.ndarray, np.ndarray]:
    parts = [np.load(path) for path in sorted(Path(folder).glob("shard-*.npz"))]
    return np.concatenate([p["images"] for p in parts]), np.concatenate([p["species"] for p in parts])
