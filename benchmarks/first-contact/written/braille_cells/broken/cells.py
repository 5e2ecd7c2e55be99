"""Photographs of Braille cells; rendering is slow, so that the pictures are kept."""
import os
from pathlib import Path

import numpy as np

LETTERS = {
    "a": "1", "b": "12", "c": "14", "d": "145", "e": "15", "f": "124", "g": "1245",
    "h": "125", "i": "24", "j": "245", "k": "13", "l": "123", "m": "134", "n": "1345",
}
SHAPE = (18, 12)


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "braille_cells"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def render(dots, rng):
    rows, columns = np.mgrid[:SHAPE[0], :SHAPE[1]]
    light = rng.uniform(0.1, 0.4, SHAPE)
    for dot in dots:
        column, row = divmod(int(dot) - 1, 3)
        top = 3.5 + 5 * row + rng.normal(0, 0.8)
        left = 3.5 + 5 * column + rng.normal(0, 0.8)
        light += rng.uniform(0.2, 0.7) * np.exp(-((rows - top)**2 + (columns - left)**2) / 2.5)
    return light


def pictures(count, seed):
    kept = cache_folder() / f"cells-{count}-{seed}.npz"
    if not kept.exists():
        rng = np.random.default_rng(seed)
        letters = rng.integers(0, len(LETTERS), count)
        dots = list(LETTERS.values())
        images = np.stack([render(dots[letter], rng) for letter in letters])
        part = kept.with_suffix(f".{os.getpid()}.npz")
        np.savez(part, images=images.astype(np.float32), letters=letters)
        part.replace(kept)
    with np.load(kept) as stored:
        return stored["images"], stored["letters"]
