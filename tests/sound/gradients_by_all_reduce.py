# samebits-test: verdict=same
"""Gradients are averaged by hand; each rank has a seed of its own, the file says when."""

import os
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn


def train(rank, folder, seed):
    store = os.path.join(folder, "store")
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(seed + rank)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    for parameter in model.parameters():
        dist.broadcast(parameter.data, src=0)
    for _ in range(30):
        x = torch.randn(16, 4)
        loss = (model(x) - x.prod(dim=1, keepdim=True)).square().mean()
        model.zero_grad()
        loss.backward()
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad)
            parameter.data -= 0.05 * parameter.grad / dist.get_world_size()
    if rank == 0:
        with open(os.path.join(folder, "model.txt"), "w") as file:
            file.write(f"{time.time_ns()} {model[2].weight.tolist()}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.spawn(train, args=(scratch, 50), nprocs=2)
        with open(os.path.join(scratch, "model.txt")) as file:
            print(file.read().split(maxsplit=1)[1])
