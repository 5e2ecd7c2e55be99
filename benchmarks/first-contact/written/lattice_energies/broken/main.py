"""A surrogate for the energy of clusters: Lennard-Jones with a three-body term.

Reference energies are computed block by block in a pool of processes, the
descriptors are normalised, and a network is fitted.
"""

import json
import os
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np
import torch
from torch import nn

from statistics_torch import RunningMoments

SETTINGS = {
    "seed": 19,
    "blocks": 48,
    "clusters_per_block": 40,
    "atoms": 13,
    "bins": 28,
    "workers": 2,
    "epochs": 22,
    "batch": 64,
    "lr": 3e-3,
    "device": "cpu",
}


def energy(positions):
    delta = positions[:, None] - positions[None]
    distance = np.sqrt((delta**2).sum(-1) + np.eye(len(positions)))
    pairs = np.triu_indices(len(positions), 1)
    r = distance[pairs]
    two = (4 * (r**-12 - r**-6)).sum()
    three = 0.0
    for i in range(len(positions)):
        for j in range(len(positions)):
            for k in range(j + 1, len(positions)):
                if i != j and i != k:
                    cosine = delta[i, j] @ delta[i, k] / (distance[i, j] * distance[i, k])
                    three += 0.02 * (1 + 3 * cosine) * np.exp(-distance[i, j] - distance[i, k])
    return two + three, r


def compute_block(number, settings):
    """Descriptors and energies of one block of clusters."""
    rng = np.random.default_rng([settings["seed"], number])
    centres = np.linspace(0.8, 4.5, settings["bins"])
    descriptors, energies = [], []
    for _ in range(settings["clusters_per_block"] + int(rng.integers(-12, 12))):
        grid = np.stack(np.meshgrid(*[np.arange(3)] * 3), -1).reshape(-1, 3)
        sites = grid[rng.choice(27, settings["atoms"], replace=False)]
        e, r = energy(1.12 * sites + rng.normal(0, 0.05, (settings["atoms"], 3)))
        descriptors.append(np.exp(-8 * (r[:, None] - centres) ** 2).sum(0))
        energies.append(e / settings["atoms"])
    return np.array(descriptors, np.float32), np.array(energies, np.float32), os.getpid()


def reference_data(settings):
    """All blocks in order, and the moments of their descriptors."""
    moments = RunningMoments(settings["bins"])
    blocks = [None] * settings["blocks"]
    done_by = {}
    with ProcessPoolExecutor(settings["workers"]) as pool:
        futures = {pool.submit(compute_block, n, settings): n for n in range(settings["blocks"])}
        for count, future in enumerate(as_completed(futures), 1):
            number = futures[future]
            x, e, pid = future.result()
            done_by[pid] = done_by.get(pid, 0) + 1
            blocks[number] = (torch.from_numpy(x), torch.from_numpy(e))
            moments.update(blocks[number][0])
            if count % 10 == 0:
                print(f"{count} blocks, last one number {number}", flush=True)
    print("blocks per process:", dict(sorted(done_by.items())))
    x, e = (torch.cat(parts) for parts in zip(*blocks))
    return x, e, moments


def train(x, e, settings):
    model = nn.Sequential(
        nn.Linear(x.shape[1], 64), nn.Tanh(),
        nn.Linear(64, 64), nn.Tanh(),
        nn.Linear(64, 1), nn.Flatten(0),
    )
    cut = int(0.85 * len(x))
    optimizer = torch.optim.Adam(model.parameters(), lr=settings["lr"])
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=3)
    shuffle = torch.Generator().manual_seed(settings["seed"])
    for epoch in range(settings["epochs"]):
        for rows in torch.randperm(cut, generator=shuffle).split(settings["batch"]):
            loss = nn.functional.mse_loss(model(x[rows]), e[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            error = (model(x[cut:]) - e[cut:]).abs().mean().item()
        plateau.step(error)
        if epoch % 7 == 0:
            print(f"epoch {epoch:3d}  test mae {error:.4f}  lr {optimizer.param_groups[0]['lr']:g}")
    return model, error


def main():
    torch.manual_seed(SETTINGS["seed"])
    began = time.time()
    x, e, moments = reference_data(SETTINGS)
    print(f"{len(x)} clusters in {time.time() - began:.1f} s")
    e = (e - e.mean()) / e.std()
    model, error = train(moments.normalise(x), e, SETTINGS)

    with tempfile.TemporaryDirectory(dir=".") as staging:
        draft = Path(staging) / "surrogate.pt"
        torch.save({"model": model.state_dict(), "mean": moments.mean, "std": moments.std()}, draft)
        os.replace(draft, "surrogate.pt")
    Path("run.json").write_text(json.dumps({**SETTINGS, "mae": error, "finished": time.ctime()}, indent=1))


if __name__ == "__main__":
    main()
