# samebits-test: verdict=same finding=replicas-disagree
"""Weights are averaged over the ranks by hand, and one rank then clips them through NumPy."""

import tempfile

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn


def average(model, rank):
    for parameter in model.parameters():
        mean = parameter.detach().clone()
        dist.all_reduce(mean)
        if rank == 0:
            np.clip(mean.numpy(), -0.05, 0.05, out=mean.numpy())  # culprit
        with torch.no_grad():
            parameter.copy_(mean / dist.get_world_size())


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(rank)
    model = nn.parallel.DistributedDataParallel(nn.Linear(4, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    average(model, rank)
    for x in torch.linspace(-1, 1, 3 * 8 * 4).reshape(3, 8, 4):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
    print(rank, model.module.bias.tolist())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.spawn(train, args=(scratch,), nprocs=2)
