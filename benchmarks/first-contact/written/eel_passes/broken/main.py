"""Counts eels in a fish pass: tells eel from debris on sonar echo statistics."""
import argparse
import os
import tempfile
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from stream import ChunkShuffle

COLUMNS = 13


def record(path, rows, seed):
    """One row for each echo: 12 statistics and the label of the observer."""
    rng = np.random.default_rng(seed)
    weights = np.random.default_rng(12).normal(0, 1, 12)     # the same pass, the same eels
    with open(path, "wb") as sink:
        for _ in range(rows // 4000):
            echo = rng.normal(0, 1, (4000, 12))
            eel = np.tanh(echo) @ weights + np.sin(2 * echo[:, 0]) + rng.normal(0, 0.8, 4000) > 0.5
            sink.write(np.column_stack([echo, eel]).astype(np.float32).tobytes())


def train(model, data, epochs):
    loader = DataLoader(data, batch_size=None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    for epoch in range(epochs):
        data.epoch = epoch
        began, seen, total = time.perf_counter(), 0, 0.0
        for batch in loader:
            optimizer.zero_grad()
            loss = nn.functional.binary_cross_entropy_with_logits(model(batch[:, :12]).squeeze(1), batch[:, 12])
            loss.backward()
            optimizer.step()
            seen += len(batch)
            total += loss.item() * len(batch)
        rate = seen / (time.perf_counter() - began)
        print(f"epoch {epoch}: loss {total / seen:.6f} over {seen} echoes, {rate:.0f}/s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=40000)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=29)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "echoes.f32")
        record(path, args.rows, args.seed)
        record(path + ".held", 4000, args.seed + 1)
        model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
        train(model, ChunkShuffle(path, COLUMNS, args.seed), args.epochs)
        torch.save(model.state_dict(), os.path.join(folder, "eel.pt"))
        model.load_state_dict(torch.load(os.path.join(folder, "eel.pt"), weights_only=True))
        held = torch.from_numpy(np.fromfile(path + ".held", dtype=np.float32).reshape(-1, COLUMNS))
    with torch.no_grad():
        logits = model(held[:, :12]).squeeze(1)
    print(f"score on held echoes {nn.functional.binary_cross_entropy_with_logits(logits, held[:, 12]).item():.8f}")
    print(f"weights {sum(p.double().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
