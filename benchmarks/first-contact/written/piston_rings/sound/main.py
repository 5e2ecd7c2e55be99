"""Estimates the wear of piston rings from cylinder pressure, with averaged snapshots."""
import argparse
import hashlib
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from snapshots import SnapshotWriter, averaged


def cycles(count, seed):
    rng = np.random.default_rng(seed)
    angle = np.linspace(-np.pi, np.pi, 64)
    wear = rng.uniform(0.0, 1.0, size=count)
    load = rng.uniform(0.4, 1.0, size=count)
    peak = 60.0 * load * (1.0 - 0.25 * wear)
    shape = np.exp(-((angle[None] - 0.2 - 0.1 * wear[:, None]) ** 2) / (0.25 + 0.1 * load[:, None]))
    pressure = peak[:, None] * shape + rng.normal(0.0, 0.8, size=(count, 64))
    return (
        torch.from_numpy(((pressure - 12.0) / 15.0).astype(np.float32)),
        torch.from_numpy(wear.astype(np.float32)),
    )


def build():
    return nn.Sequential(
        nn.Linear(64, 128), nn.LayerNorm(128), nn.ReLU(), nn.Dropout(0.1),
        nn.Linear(128, 128), nn.LayerNorm(128), nn.ReLU(), nn.Linear(128, 1), nn.Flatten(0),
    )


def calibrate(model, x, y, steps):
    """Fits the last layer alone to a small set of rings measured by hand."""
    head = model[-2]
    optimizer = torch.optim.SGD(head.parameters(), lr=0.01)
    for _ in range(steps):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--seed", type=int, default=77)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    x, y = cycles(3000, args.seed)
    hand_x, hand_y = cycles(80, args.seed + 1)
    test_x, test_y = cycles(600, args.seed + 2)
    loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True,
                        generator=torch.Generator().manual_seed(args.seed))
    model = build()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with tempfile.TemporaryDirectory(prefix="rings-") as name:
        writer = SnapshotWriter(Path(name))
        step, began = 0, time.perf_counter()
        for epoch in range(args.epochs):
            total = 0.0
            for pressure, wear in loader:
                loss = nn.functional.mse_loss(model(pressure), wear)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item()
                step += 1
                if step % args.every == 0:
                    writer.submit(step, model)
            print(f"epoch {epoch} mse {total / len(loader):.7f}")
        print(f"{step / (time.perf_counter() - began):.0f} steps/s")
        writer.close()
        print(f"writer was busy for {writer.seconds:.2f} s")
        state, count = averaged(Path(name))

    final = build()
    final.load_state_dict(state)
    final.eval()
    print(f"average of {count} snapshots, calibrated to {calibrate(final, hand_x, hand_y, 40):.7f}")
    with torch.no_grad():
        print(f"test mse {nn.functional.mse_loss(final(test_x), test_y).item():.8f}")
    digest = hashlib.sha256(b"".join(v.numpy().tobytes() for v in final.state_dict().values()))
    print("weights", digest.hexdigest()[:16])


if __name__ == "__main__":
    main()
