"""Dates obsidian flakes by the optical profile of their hydration rims."""
import argparse
import math
import tempfile

import numpy as np
import pandas as pd
import torch
from torch import nn

from archive import Archive, load_mean


def make_flakes(count, seed):
    rng = np.random.default_rng(seed)
    flakes = pd.DataFrame({"age": rng.gamma(4.0, 900.0, count), "warmth": rng.normal(15.0, 4.0, count),
                           "source": rng.choice(["lipari", "melos", "sardinia"], count)})
    rate = flakes["source"].map({"lipari": 4.2, "melos": 5.1, "sardinia": 3.6}) * np.exp(0.06 * (flakes["warmth"] - 15.0))
    rim = np.sqrt(rate * flakes["age"] / 1000.0).to_numpy()
    depth = np.linspace(0.0, 12.0, 160)
    profiles = 1.0 / (1.0 + np.exp((depth[None] - rim[:, None]) / 0.35)) + rng.normal(0.0, 0.08, (count, depth.size))
    extras = np.column_stack([pd.get_dummies(flakes["source"]).to_numpy(float), (flakes["warmth"] - 15.0) / 4.0])
    x = torch.tensor(np.hstack([profiles, extras]), dtype=torch.float32)
    y = torch.tensor(np.log(flakes["age"].to_numpy() / 3000.0), dtype=torch.float32).unsqueeze(1)
    return x, y


def build(inputs):
    return nn.Sequential(nn.Linear(inputs, 256), nn.SiLU(), nn.Dropout(0.1), nn.Linear(256, 256), nn.SiLU(), nn.Linear(256, 1))


@torch.no_grad()
def error_of(model, x, y):
    model.eval()
    return (model(x) - y).abs().mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--average", type=int, default=5)
    parser.add_argument("--seed", type=int, default=64)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    x, y = make_flakes(1500, args.seed)
    cut = 1200
    order = torch.Generator().manual_seed(args.seed)
    model = build(x.shape[1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-3)
    with tempfile.TemporaryDirectory(prefix="rims-") as folder:
        archive = Archive(folder)
        try:
            for epoch in range(args.epochs):
                model.train()
                for batch in torch.randperm(cut, generator=order).split(24):
                    loss = nn.functional.smooth_l1_loss(model(x[batch]), y[batch])
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                error = error_of(model, x[cut:], y[cut:])
                archive.add(epoch, model, error=error)
                print(f"epoch {epoch:2d}  error {error:.6f}")
        finally:
            archive.close()
        print(f"snapshots took {archive.seconds:.2f} s beside the training")
        state, names = load_mean(folder, args.average)
    model.load_state_dict(state)
    error = error_of(model, x[cut:], y[cut:])
    print("mean of", ", ".join(names))
    print(f"error {error:.8f}, or {100 * math.expm1(error):.3f} %; checksum {sum(v.double().sum().item() for v in state.values()):.12f}")


if __name__ == "__main__":
    main()
