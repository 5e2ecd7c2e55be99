# samebits-test: verdict=same
"""The script itself is rank 0, and starts the other rank; it has trained alone before."""

import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def fit(model, seed, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    data = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        x = torch.randn(16, 4, generator=data)
        optimizer.zero_grad()
        (model(x) - x.sum(dim=1, keepdim=True)).square().mean().backward()
        optimizer.step()
    return model


def train(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(7)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(4, 32), nn.Dropout(), nn.Linear(32, 1)))
    torch.manual_seed(7 + rank)
    fit(model, rank, 5)
    dist.destroy_process_group()


if __name__ == "__main__":
    torch.manual_seed(0)
    fit(nn.Linear(4, 1), 3, 4)
    with tempfile.TemporaryDirectory() as scratch:
        store = os.path.join(scratch, "store")
        other = mp.get_context("spawn").Process(target=train, args=(1, store))
        other.start()
        train(0, store)
        other.join()
