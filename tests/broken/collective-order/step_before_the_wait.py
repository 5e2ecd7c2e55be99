# samebits-test: verdict=different cause=collective-order
"""Gradients are averaged in the background, and the optimizer steps before they are all there."""

import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

WIDTH = 1500


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.Generator().manual_seed(rank)
    for _ in range(4):
        x = torch.randn(4, WIDTH, generator=data)
        optimizer.zero_grad()
        model(x).square().mean().backward()
        handles = []
        for parameter in model.parameters():
            handles.append(dist.all_reduce(parameter.grad, async_op=True))  # culprit
        optimizer.step()
        for handle in handles:
            handle.wait()
    torch.save(model.state_dict(), os.path.join(folder, f"model-{rank}.pt"))
    print(rank, float(model[0].weight.sum()))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.spawn(train, args=(scratch,), nprocs=2)
