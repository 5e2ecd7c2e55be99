"""Ground, understorey or crown: labels for airborne laser points of forest plots.

`python main.py` starts two ranks of itself by torch.distributed.run.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
import torch.distributed as dist
from torch import nn

import balance

SEED = 77
RANKS = 2
STEPS = 150
POINTS = 384
CLASSES = 3
LR = 2e-3


def plot(rank, step):
    """Points of one forest plot: x, y, height, intensity; and their labels."""
    rng = np.random.default_rng([SEED, rank, step])
    trees = rng.uniform(0, 1, (int(rng.integers(2, 30)), 2))
    labels = rng.choice(CLASSES, POINTS, p=[0.5, 0.15, 0.35])
    xy = rng.uniform(0, 1, (POINTS, 2))
    near = np.sqrt(((xy[:, None] - trees) ** 2).sum(-1)).min(1)
    height = np.choose(labels, [
        rng.normal(0, 0.15, POINTS),
        rng.normal(1.2, 0.6, POINTS),
        rng.normal(14 - 25 * near, 2.0),
    ])
    intensity = rng.normal(np.array([0.7, 0.45, 0.4])[labels], 0.12)
    return np.column_stack([xy, height / 10, intensity]).astype(np.float32), labels


def neighbours(points, cells):
    """Mean height and spread in grid cells, for grids of several sizes."""
    features = [points]
    for size in cells:
        key = (points[:, 0] * size).astype(int) * size + (points[:, 1] * size).astype(int)
        for wanted in (np.mean, np.std, np.max):
            values = np.zeros(size * size, np.float32)
            for cell in np.unique(key):
                values[cell] = wanted(points[key == cell, 2])
            features.append(values[key][:, None])
    return np.concatenate(features, axis=1)


class PointNet(nn.Module):
    def __init__(self, features, width=64):
        super().__init__()
        self.local = nn.Sequential(nn.Linear(features, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.joint = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, CLASSES))

    def forward(self, x):
        local = self.local(x)
        scene = local.max(0, keepdim=True).values.expand_as(local)
        return self.joint(torch.cat([local, scene], dim=1))


def average_gradients(model):
    flat = torch.cat([p.grad.flatten() for p in model.parameters()])
    dist.all_reduce(flat)
    flat /= dist.get_world_size()
    start = 0
    for p in model.parameters():
        p.grad.copy_(flat[start:start + p.numel()].view_as(p))
        start += p.numel()


def rank_main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(SEED)
    model = PointNet(4 + 3 * 2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=LR)
    began, hits = time.time(), 0.0
    for step in range(STEPS):
        points, labels = plot(rank, step)
        labels = torch.from_numpy(labels)
        x = torch.from_numpy(neighbours(points, (3 + 4 * ((step + rank) % 2), 6)))
        counts, work = balance.global_counts(labels, CLASSES)
        logits = model(x)
        work.wait()
        loss = nn.functional.cross_entropy(logits, labels, weight=balance.weights(counts))
        optimizer.zero_grad()
        loss.backward()
        average_gradients(model)
        optimizer.step()
        hits = 0.95 * hits + 0.05 * (logits.argmax(1) == labels).float().mean().item()
        if rank == 0 and step % 50 == 49:
            print(f"step {step + 1}: loss {loss.item():.4f}, running accuracy {hits:.3f}, "
                  f"{(step + 1) / (time.time() - began):.1f} steps/s", flush=True)
    if rank == 0:
        torch.save(model.state_dict(), os.environ["CANOPY_OUT"])
    dist.barrier()
    dist.destroy_process_group()


def launch():
    with tempfile.TemporaryDirectory(prefix="canopy-") as logs:
        environment = dict(os.environ, CANOPY_OUT=os.path.abspath("canopy.pt"), OMP_NUM_THREADS="1")
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(RANKS),
                   "--log-dir", logs, os.path.abspath(__file__)]
        return subprocess.run(command, env=environment).returncode


if __name__ == "__main__":
    if "LOCAL_RANK" in os.environ:
        rank_main()
    else:
        sys.exit(launch())
