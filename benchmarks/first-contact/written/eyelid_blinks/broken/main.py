"""Detect blinks in electro-oculograms; the training traces are simulated in parallel."""
import argparse
import multiprocessing
import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import average_precision_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from oculogram import Subject, simulate


def traces(subjects, processes):
    context = multiprocessing.get_context("fork")
    with context.Pool(processes) as pool:
        parts = pool.map(simulate, subjects, chunksize=2)
    x = np.concatenate([part["x"] for part in parts])
    y = np.concatenate([part["y"] for part in parts])
    return torch.from_numpy(x), torch.from_numpy(y)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--subjects", type=int, default=30)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    subjects = [
        Subject(number=n, seed=args.seed, rate=float(rng.uniform(0.2, 0.6)), gain=float(rng.uniform(0.7, 1.3)))
        for n in range(args.subjects)
    ]
    began = time.perf_counter()
    x, y = traces(subjects, args.processes)
    print(f"simulated {len(x)} windows in {time.perf_counter() - began:.2f} s")

    held = len(x) // 5
    train = TensorDataset(x[held:], y[held:])
    loader = DataLoader(train, batch_size=64, shuffle=True, generator=torch.Generator().manual_seed(args.seed))
    model = nn.Sequential(
        nn.Conv1d(1, 16, 9, stride=2), nn.ReLU(), nn.Conv1d(16, 16, 7, stride=2), nn.ReLU(),
        nn.AdaptiveMaxPool1d(4), nn.Flatten(), nn.Linear(64, 1),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)

    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "best.pkl"
        best = -1.0
        for epoch in range(args.epochs):
            model.train()
            for signal, label in loader:
                loss = nn.functional.binary_cross_entropy_with_logits(model(signal)[:, 0], label)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                scores = model(x[:held])[:, 0].numpy()
            precision = average_precision_score(y[:held].numpy(), scores)
            print(f"epoch {epoch} loss {loss.item():.7f} average precision {precision:.6f}")
            if precision > best:
                best = precision
                store.write_bytes(pickle.dumps({k: v.numpy() for k, v in model.state_dict().items()}))
        state = pickle.loads(store.read_bytes())
    print(f"best {best:.6f} weights {sum(np.abs(v.astype(np.float64)).sum() for v in state.values()):.10f}")


if __name__ == "__main__":
    main()
