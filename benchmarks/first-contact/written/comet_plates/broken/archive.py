"""Photographic plates, drawn, and kept as one tar archive with a version."""
import hashlib
import io
import tarfile

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

SIDE = 40


def draw_plate(rng, comet):
    plate = Image.new("L", (SIDE, SIDE), 18)
    pen = ImageDraw.Draw(plate)
    for x, y in rng.uniform(0, SIDE, (9, 2)):
        pen.point((x, y), int(rng.integers(120, 255)))
    if comet:
        x, y = rng.uniform(10, SIDE - 10, 2)
        angle = rng.uniform(0, 2 * np.pi)
        tail = rng.uniform(7, 14)
        pen.line((x, y, x + tail * np.cos(angle), y + tail * np.sin(angle)), 110, width=2)
        pen.ellipse((x - 2, y - 2, x + 2, y + 2), 220)
    return plate.filter(ImageFilter.GaussianBlur(0.8))


def expose(folder, count, seed):
    rng = np.random.default_rng(seed)
    for number in range(count):
        comet = int(rng.integers(2))
        draw_plate(rng, comet).save(folder / f"{number:04d}-{comet}.png")


def impersonal(info):
    info.uid = info.gid = 0
    info.uname = info.gname = "plates"
    return info


def pack(folder, target):
    with tarfile.open(target, "w") as tar:
        for path in sorted(folder.glob("*.png")):
            tar.add(path, arcname=path.name, filter=impersonal)
    with open(target, "rb") as packed:
        return hashlib.file_digest(packed, "sha256").hexdigest()


def unpack(target):
    pixels, labels = [], []
    with tarfile.open(target) as tar:
        for member in tar:
            plate = Image.open(io.BytesIO(tar.extractfile(member).read()))
            pixels.append(np.asarray(plate, np.float32) / 255)
            labels.append(int(member.name[5]))
    return np.stack(pixels), np.array(labels)
