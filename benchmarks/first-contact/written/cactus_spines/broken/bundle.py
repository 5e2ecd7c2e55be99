"""Pictures of areoles, written as PNG files and packed into tar shards that are versioned by their content."""
import hashlib
import io
import math
import tarfile

import numpy as np
import torch
from PIL import Image, ImageDraw

SIDE = 24
KINDS = ("radial", "hooked", "bristle")


def draw(kind, rng):
    picture = Image.new("L", (SIDE, SIDE), int(rng.integers(10, 60)))
    pen = ImageDraw.Draw(picture)
    cx, cy = rng.uniform(9, 15, 2)
    for spine in range({"radial": 9, "hooked": 3, "bristle": 16}[kind]):
        angle = rng.uniform(0, 2 * math.pi)
        length = rng.uniform(5, 11) * (0.6 if kind == "bristle" else 1.0)
        x, y = cx + length * math.cos(angle), cy + length * math.sin(angle)
        pen.line((cx, cy, x, y), fill=int(rng.integers(140, 255)))
        if kind == "hooked":
            pen.line((x, y, x + 3, y - 2), fill=230)
    return picture


def photograph(folder, count, seed):
    rng = np.random.default_rng(seed)
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        draw(kind, rng).save(folder / f"{number:05d}.{kind}.png")


def anonymous(member):
    member.uid = member.gid = 0
    member.uname = member.gname = "lab"
    member.mode = 0o644
    return member


def pack(folder, target, per_shard=120):
    files = sorted(folder.glob("*.png"))
    shards = []
    for start in range(0, len(files), per_shard):
        shard = target / f"spines-{start // per_shard:03d}.tar"
        with tarfile.open(shard, "w") as archive:
            for path in files[start:start + per_shard]:
                archive.add(path, arcname=path.name, filter=anonymous)
        shards.append(shard)
    return shards


def version(shards):
    digest = hashlib.sha256()
    for shard in shards:
        digest.update(shard.read_bytes())
    return digest.hexdigest()


def unpack(shards):
    pictures, labels = [], []
    for shard in shards:
        with tarfile.open(shard) as archive:
            for member in archive:
                image = Image.open(io.BytesIO(archive.extractfile(member).read()))
                pictures.append(np.asarray(image, dtype=np.float32) / 255)
                labels.append(KINDS.index(member.name.split(".")[1]))
    return torch.from_numpy(np.stack(pictures))[:, None], torch.tensor(labels)
