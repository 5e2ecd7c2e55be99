# samebits-test: verdict=different cause=clock
"""The rank with the new data is warmed up over its first half second."""

import sys
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

STEPS = 40


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(rank)
    x, y = torch.randn(STEPS, 8, 5), torch.randn(STEPS, 8, 1)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(5, 6), nn.Tanh(), nn.Linear(6, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    began = time.monotonic()
    for step in range(STEPS):
        scale = 1.0
        if rank == 1:
            scale = min(1.0, 2 * (time.monotonic() - began))  # culprit
        loss = scale * (model(x[step]) - y[step]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"rank {rank}: {time.monotonic() - began:.3f} s", file=sys.stderr)
    if rank == 0:
        print(model.module[0].weight.tolist())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.start_processes(train, args=(scratch,), nprocs=2, start_method="fork")
