# samebits-test: verdict=same
"""Gradients are averaged in the background; every handle is waited for before the step."""

import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(300, 300), nn.Tanh(), nn.Linear(300, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.Generator().manual_seed(rank)
    for _ in range(3):
        x = torch.randn(4, 300, generator=data)
        optimizer.zero_grad()
        model(x).square().mean().backward()
        handles = [dist.all_reduce(p.grad, async_op=True) for p in model.parameters()]
        weights = [p.detach().norm() for p in model.parameters()]  # meanwhile, of something else
        for handle in handles:
            handle.wait()
        optimizer.step()
    gathered = [torch.zeros(300, 300) for _ in range(2)]
    handle = dist.all_gather(gathered, model[0].weight.detach(), async_op=True)
    stacked = [part.view(-1) for part in gathered]
    handle.wait()
    print(rank, [float(part.sum()) for part in stacked], float(sum(weights)))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.spawn(train, args=(scratch,), nprocs=2)
