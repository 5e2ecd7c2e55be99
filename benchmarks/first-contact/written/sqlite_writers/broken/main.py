"""Worker processes simulate shards and write them to a database; then a surrogate is trained on it."""
import multiprocessing as mp
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from warehouse import Warehouse

SHARDS, PER_SHARD = 12, 60


def lorenz(parameters, steps=300):
    s, r, b = parameters
    x = y = z = 1.0
    for _ in range(steps):
        x, y, z = x + 0.01 * s * (y - x), y + 0.01 * (x * (r - z) - y), z + 0.01 * (x * y - b * z)
    return z


def simulate(job):
    path, shard = job
    rng = np.random.default_rng([64, shard])
    store = Warehouse(path)
    for position in range(PER_SHARD):
        parameters = rng.uniform([8, 15, 2], [12, 22, 3])
        store.add(shard, position, parameters, lorenz(parameters, 200 + 20 * (shard % 4)))
        if position % 6 == 5:
            store.commit()
    store.commit()
    store.close()
    return shard


def main():
    torch.manual_seed(64)
    with tempfile.TemporaryDirectory() as tmp:
        path = str(Path(tmp) / "samples.db")
        Warehouse(path).close()
        start = time.time()
        with mp.get_context("fork").Pool(3) as pool:
            pool.map(simulate, [(path, shard) for shard in range(SHARDS)], chunksize=1)
        print(f"{SHARDS} shards in {time.time() - start:.1f} s")
        store = Warehouse(path)
        x, y = store.load()
        store.close()
    x, y = torch.from_numpy(x), torch.from_numpy(y)
    x, y = (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std()
    split = int(0.9 * len(x))

    model = nn.Sequential(nn.Linear(3, 32), nn.SiLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(12):
        for idx in torch.randperm(split).split(32):
            loss = nn.functional.mse_loss(model(x[idx]).squeeze(1), y[idx])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        test = nn.functional.mse_loss(model(x[split:]).squeeze(1), y[split:]).item()
    torch.save(model.state_dict(), "surrogate.pt")
    print(f"final test loss {test!r} train loss {loss.item()!r}")


if __name__ == "__main__":
    main()
