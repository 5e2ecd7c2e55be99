"""Land cover from satellite tiles: tiles are rendered by threads to files, then a small CNN is trained."""
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
import torch.nn as nn

TILE_DIR = "tiles"
N_TILES, PER_TILE, SIZE, CLASSES = 24, 24, 16, 4
SEED = 77


def render(tile):
    """Patches of one tile and their classes, written to a file."""
    rng = np.random.default_rng((SEED, tile))
    label = rng.integers(0, CLASSES, PER_TILE)
    yy, xx = np.mgrid[0:SIZE, 0:SIZE] / SIZE
    patches = np.empty((PER_TILE, 3, SIZE, SIZE), dtype=np.float32)
    for n, c in enumerate(label):
        wave = np.sin(2 * np.pi * ((c + 1) * xx + c * yy + rng.random()))
        for band in range(3):
            patches[n, band] = wave * (0.5 + 0.25 * band) + 0.6 * rng.standard_normal((SIZE, SIZE))
    np.savez(os.path.join(TILE_DIR, f"tile_{tile}.npz"), x=patches, y=label)
    return tile, os.path.getsize(os.path.join(TILE_DIR, f"tile_{tile}.npz"))


def tile_number(name):
    return int(re.search(r"\d+", name).group())


def load_all():
    names = [n for n in os.listdir(TILE_DIR) if n.endswith(".npz")]
    xs, ys = [], []
    for name in sorted(names, key=tile_number):
        with np.load(os.path.join(TILE_DIR, name)) as z:
            xs.append(z["x"])
            ys.append(z["y"])
    return torch.tensor(np.concatenate(xs)), torch.tensor(np.concatenate(ys))


def main():
    os.makedirs(TILE_DIR, exist_ok=True)
    with ThreadPoolExecutor(4) as pool:
        total = sum(size for _, size in pool.map(render, range(N_TILES)))
    print(f"rendered {N_TILES} tiles, {total / 1e6:.1f} MB")

    x, y = load_all()
    torch.manual_seed(SEED)
    net = nn.Sequential(
        nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(64, CLASSES),
    )
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    cut = 20 * PER_TILE  # the last tiles are for testing
    for epoch in range(4):
        clock = time.perf_counter()
        for idx in torch.randperm(cut).split(32):
            loss = nn.functional.cross_entropy(net(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
        with torch.no_grad():
            acc = (net(x[cut:]).argmax(1) == y[cut:]).float().mean().item()
        print(f"epoch {epoch}: loss {loss.item():.6f}, test accuracy {acc:.4f}, {time.perf_counter() - clock:.3f} s")
    torch.save(net.state_dict(), "cover.pt")


if __name__ == "__main__":
    main()
