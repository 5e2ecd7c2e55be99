"""Reads a folder of nest-box camera stills with a few concurrent readers."""
import asyncio
import time

import numpy as np
from PIL import Image, ImageOps

SIDE = 24


def decode(path):
    with Image.open(path) as image:
        grey = ImageOps.autocontrast(image.convert("L"), cutoff=1)
        small = grey.resize((SIDE, SIDE), Image.Resampling.LANCZOS)
    return np.asarray(small, dtype=np.float32) / 255.0


async def reader(queue, frames, stats):
    while True:
        try:
            path, label = queue.get_nowait()
        except asyncio.QueueEmpty:
            return
        began = time.perf_counter()
        pixels = await asyncio.to_thread(decode, path)
        frames.append((pixels, label))
        stats["seconds"] += time.perf_counter() - began
        stats["read"] += 1


async def read_all(entries, readers):
    queue = asyncio.Queue()
    for entry in entries:
        queue.put_nowait(entry)
    frames = []
    stats = {"read": 0, "seconds": 0.0}
    async with asyncio.TaskGroup() as group:
        for _ in range(readers):
            group.create_task(reader(queue, frames, stats))
    return frames, stats


def load_folder(entries, readers=4):
    frames, stats = asyncio.run(read_all(entries, readers))
    pixels = np.stack([pixels for pixels, _ in frames])[:, None]
    labels = np.array([label for _, label in frames], dtype=np.int64)
    return pixels, labels, stats
