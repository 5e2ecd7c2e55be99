"""Draws the vignettes of a net tow as a plankton scanner would see them, and measures them."""

import os
import tempfile
from pathlib import Path

import numpy as np
from scipy import ndimage

TAXA = ["copepod", "chaetognath", "diatom chain", "medusa", "detritus"]
SIZE = 40


def blank(rng):
    return 0.93 + rng.normal(0, 0.02, (SIZE, SIZE))


def blob(image, y, x, a, b, angle, depth):
    rows, cols = np.mgrid[:SIZE, :SIZE]
    dy, dx = rows - y, cols - x
    u = dx * np.cos(angle) + dy * np.sin(angle)
    v = -dx * np.sin(angle) + dy * np.cos(angle)
    image -= depth * (((u / a) ** 2 + (v / b) ** 2) < 1)


def draw(rng, taxon):
    image = blank(rng)
    cy, cx = rng.normal(SIZE / 2, 2, 2)
    angle = rng.uniform(0, np.pi)
    if taxon == "copepod":
        a = rng.uniform(6, 10)
        blob(image, cy, cx, a, a * rng.uniform(0.4, 0.6), angle, 0.45)
        blob(image, cy, cx, a * 1.4, 1.2, angle + rng.normal(1.4, 0.2), 0.25)
    elif taxon == "chaetognath":
        blob(image, cy, cx, rng.uniform(12, 17), rng.uniform(1.2, 2.4), angle, 0.3)
    elif taxon == "diatom chain":
        for step in np.linspace(-12, 12, int(rng.integers(4, 8))):
            blob(image, cy + step * np.sin(angle), cx + step * np.cos(angle), 2.2, 2.2, 0, 0.35)
    elif taxon == "medusa":
        radius = rng.uniform(8, 13)
        blob(image, cy, cx, radius, radius * rng.uniform(0.8, 1), angle, 0.16)
        blob(image, cy, cx, radius * 0.4, radius * 0.4, 0, 0.2)
    else:
        for _ in range(int(rng.integers(3, 7))):
            oy, ox = rng.normal(0, 5, 2)
            blob(image, cy + oy, cx + ox, *rng.uniform(1.5, 6, 2), rng.uniform(0, np.pi), rng.uniform(0.1, 0.4))
    return np.clip(ndimage.gaussian_filter(image, 0.7), 0, 1)


def measure(image):
    """Area, greys, moments and a radial profile of the darkest parts."""
    mask = image < 0.8
    if mask.sum() < 6:
        mask = image <= np.sort(image, axis=None)[6]
    rows, cols = np.nonzero(mask)
    weight = 0.95 - image[mask]
    cy, cx = np.average(rows, weights=weight), np.average(cols, weights=weight)
    spread = np.cov(np.stack([rows, cols]), aweights=np.clip(weight, 1e-3, None))
    low, high = np.linalg.eigvalsh(spread)
    _, pieces = ndimage.label(mask)
    edge = mask ^ ndimage.binary_erosion(mask)
    distance = np.hypot(rows - cy, cols - cx)
    profile = np.histogram(distance, bins=8, range=(0, 20), weights=weight)[0]
    basic = [np.log(mask.sum()), image[mask].mean(), image[mask].std(), np.sqrt(max(low, 0)), np.sqrt(high), pieces, edge.sum()]
    return np.concatenate([basic, profile])


def process_tow(job):
    """Draws and measures one tow in a worker; only the measurements of its file come back to the parent."""
    tow, seed, count, folder = job
    rng = np.random.default_rng([seed, tow])
    mixture = rng.dirichlet(np.full(len(TAXA), 2.0))
    taxa = rng.choice(len(TAXA), size=count, p=mixture)
    rows = np.stack([measure(draw(rng, TAXA[t])) for t in taxa])
    handle, name = tempfile.mkstemp(prefix=f"tow{tow:03d}-", suffix=".npz", dir=folder)
    with os.fdopen(handle, "wb") as f:
        np.savez(f, features=rows.astype(np.float32), taxa=taxa, tow=np.full(count, tow))
    return os.getpid(), count


def gather(folder):
    """All tows of a folder below each other."""
    parts = []
    for path in sorted(Path(folder).glob("*.npz")):
        with np.load(path) as part:
            parts.append({key: part[key] for key in part.files})
    return {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
