"""Scenes are cut into shards, a file each, by a few threads."""
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch


def _scene(number, n, size):
    g = torch.Generator().manual_seed(1000 + number)
    labels = torch.randint(0, 4, (n,), generator=g)
    rows = torch.linspace(0, 6.28, size)
    images = []
    for lab in labels.tolist():
        base = torch.sin(rows * (lab + 1))[:, None] * torch.cos(rows * lab)[None, :]
        images.append(base.repeat(3, 1, 1) + 0.7 * torch.randn(3, size, size, generator=g))
    return torch.stack(images), labels


def write_shards(folder, count=24, n=24, size=16, threads=4):
    folder = Path(folder)
    folder.mkdir(exist_ok=True)

    def job(number):
        images, labels = _scene(number, n, size)
        torch.save({"images": images, "labels": labels}, folder / f"shard{number}.pt")

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(job, range(count)))


def read_shards(folder):
    # by name, shard10 would come before shard2, so go by the time they were written
    files = sorted(Path(folder).glob("shard*.pt"), key=lambda p: p.stat().st_mtime)
    parts = [torch.load(f) for f in files]
    return torch.cat([p["images"] for p in parts]), torch.cat([p["labels"] for p in parts])
