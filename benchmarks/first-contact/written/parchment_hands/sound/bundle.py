"""Bundles of glyph images. The version of a bundle is a digest of it."""
import hashlib
import io
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

SIZE = 20


def draw_scribe(scribe, seed, glyphs):
    """The strokes of one scribe: each has a slant, a pressure and a tremor."""
    rng = np.random.default_rng([seed, scribe])
    slant, pressure, tremor = rng.uniform(-0.8, 0.8), rng.uniform(0.8, 2.2), rng.uniform(0.1, 1.2)
    y, x = np.mgrid[0:SIZE, 0:SIZE]
    pages = np.zeros((glyphs, SIZE, SIZE), dtype=np.uint8)
    for page in pages:
        ink = np.zeros((SIZE, SIZE))
        for _ in range(3):
            at = rng.uniform(4, SIZE - 4) + tremor * rng.normal(size=(SIZE, 1))
            ink += np.exp(-((x - at - slant * (y - SIZE / 2)) / pressure) ** 2)
        page[:] = np.clip(255 * ink + rng.normal(0, 12, ink.shape), 0, 255)
    return pages


def write_glyphs(folder: Path, scribes, seed, glyphs):
    def one(scribe):
        path = folder / f"scribe_{scribe:02d}.npy"
        np.save(path, draw_scribe(scribe, seed, glyphs))
        return path

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(one, range(scribes)))


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Keep whose machine this is out of the archive."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o644
    entry.mtime = 0
    return entry


def pack(paths, target: Path) -> str:
    with tarfile.open(target, "w") as archive:
        for path in sorted(paths):
            archive.add(path, arcname=path.name, filter=_plain)
    return hashlib.sha256(target.read_bytes()).hexdigest()


def unpack(target: Path):
    images, hands = [], []
    with tarfile.open(target) as archive:
        for number, entry in enumerate(archive.getmembers()):
            pages = np.load(io.BytesIO(archive.extractfile(entry).read()))
            images.append(pages)
            hands += [number] * len(pages)
    return np.concatenate(images), np.array(hands)
