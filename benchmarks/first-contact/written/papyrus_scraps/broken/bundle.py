"""Scans of papyrus scraps, kept as one tar file that is passed between the labs."""

import csv
import hashlib
import io
import tarfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

HANDS = 4


def draw_scrap(rng, hand):
    image = Image.new("L", (32, 32), int(rng.integers(150, 190)))
    pen = ImageDraw.Draw(image)
    slant = (-5, -1, 3, 7)[hand]
    for row in range(5, 30, 7 + hand % 2):
        for column in range(2, 28, 6):
            dx, dy = rng.normal(0, 1.2, 2)
            top = (column + slant / 2 + dx, row - 3 + dy)
            pen.line([top, (column - slant / 2 + dx, row + 3 + dy)], fill=int(rng.integers(20, 90)), width=1)
    pixels = np.asarray(image, dtype=float) + rng.normal(0, 22, (32, 32))
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def make_scans(folder, count):
    rng = np.random.default_rng(77)
    rows = []
    for number in range(count):
        hand = int(rng.integers(HANDS))
        name = f"scrap-{number:04d}.png"
        draw_scrap(rng, hand).save(folder / name)
        rows.append((name, hand))
    with open(folder / "hands.csv", "w", newline="") as out:
        csv.writer(out).writerows(rows)


def anonymous(info):
    """Who packed it is nobody's business."""
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    info.mode = 0o644
    return info


def pack(folder, target):
    with tarfile.open(target, "w") as tar:
        for path in sorted(Path(folder).iterdir()):
            tar.add(path, arcname=path.name, filter=anonymous)


def version(target):
    """The version of a bundle. A new version gets a new split into train and test."""
    digest = hashlib.sha256()
    with open(target, "rb") as source:
        while block := source.read(1 << 16):
            digest.update(block)
    return digest.hexdigest()


def unpack(target):
    with tarfile.open(target) as tar:
        table = io.TextIOWrapper(tar.extractfile("hands.csv"), newline="")
        rows = [(name, int(hand)) for name, hand in csv.reader(table)]
        images = [np.asarray(Image.open(tar.extractfile(name)), dtype=np.float32) / 255 for name, _ in rows]
    return np.stack(images), np.array([hand for _, hand in rows])
