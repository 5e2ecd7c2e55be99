"""Recovery of copper from assays: a network over the sheets of several laboratories."""
import random
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from store import ELEMENTS, SheetStore, assay

SEED = 63
BATCHES = 40
ROWS = 60


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)


def collect():
    with tempfile.TemporaryDirectory(prefix="assays_") as folder:
        store = SheetStore(folder)
        with ThreadPoolExecutor(max_workers=4) as pool:
            waiting = [pool.submit(lambda b: store.add(b, assay(b, ROWS, SEED)), batch)
                       for batch in range(BATCHES)]
            for job in waiting:
                job.result()
        return store.load()


def worker_seed(worker):
    seed = torch.initial_seed() % 2**32
    random.seed(seed)
    np.random.seed(seed)


def train(model, loader, epochs):
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        start, seen, total = time.perf_counter(), 0, 0.0
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x + 0.02 * torch.randn_like(x)).squeeze(1), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(x)
            seen += len(x)
        rate = seen / (time.perf_counter() - start)
        print(f"epoch {epoch}: loss {total / seen:.7f} ({rate:.0f} rows/s)")


def main():
    seed_all(SEED)
    table = collect()
    print(table.groupby("batch").size().describe()[["count", "mean"]].to_dict())
    held = table["batch"] % 5 == 4
    scaler = StandardScaler().fit(table.loc[~held, ELEMENTS])

    def tensors(part):
        return (torch.tensor(scaler.transform(part[ELEMENTS]), dtype=torch.float32),
                torch.tensor(part["recovery"].to_numpy(), dtype=torch.float32))

    loader = DataLoader(TensorDataset(*tensors(table[~held])), batch_size=48, shuffle=True, drop_last=True,
                        num_workers=2, worker_init_fn=worker_seed, persistent_workers=True,
                        generator=torch.Generator().manual_seed(SEED))
    model = nn.Sequential(nn.Linear(len(ELEMENTS), 40), nn.LeakyReLU(), nn.Linear(40, 40), nn.LeakyReLU(),
                          nn.Linear(40, 1))
    train(model, loader, epochs=7)

    x, y = tensors(table[held].sort_values(["batch", "Cu", "Fe"]))
    with torch.no_grad():
        error = (model(x).squeeze(1) - y).square().mean().sqrt().item()
    print(f"held-out rmse {error:.8f}")
    print("sum of weights", sum(p.double().sum().item() for p in model.parameters()))


if __name__ == "__main__":
    main()
