"""Speech-command style classifier on spectral features computed by a pool of workers."""
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import torch
from torch import nn

import augment

SEED = 11
CLIPS = 240


def build_features(workers=2):
    ctx = multiprocessing.get_context("fork")
    counter = ctx.Value("i", 0)
    started = time.time()
    with ProcessPoolExecutor(workers, ctx, augment.init_worker, (counter, SEED)) as pool:
        rows = list(pool.map(augment.extract, range(CLIPS), chunksize=2))
    print(f"{len(rows)} clips in {time.time() - started:.1f} s")
    x = np.stack([r[0] for r in rows])
    y = np.array([r[1] for r in rows])
    return torch.from_numpy(x), torch.from_numpy(y)


def main():
    torch.manual_seed(SEED)
    np.random.seed(SEED)
    x, y = build_features()
    x = (x - x.mean(0)) / x.std(0)

    model = nn.Sequential(nn.Linear(x.shape[1], 32), nn.Tanh(), nn.Linear(32, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(12):
        for idx in torch.randperm(len(x)).split(24):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x[idx]), y[idx])
            loss.backward()
            optimizer.step()
    accuracy = (model(x).argmax(1) == y).float().mean().item()
    print(f"final loss {loss.item()!r} accuracy {accuracy:.4f}")
    torch.save(model.state_dict(), "speech.pt")


if __name__ == "__main__":
    main()
