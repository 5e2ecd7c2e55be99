# samebits-test: verdict=same
"""Ranks share a depth, a projection and perturbed weights; their noise for samples is their own."""

import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Projected(nn.Module):
    def __init__(self, own):
        super().__init__()
        self.own = own
        self.inner, self.last = nn.Linear(8, 8), nn.Linear(8, 1)

    def forward(self, x):
        x = x + 0.1 * torch.randn(x.shape, generator=self.own)
        x = x @ (torch.randn(8, 8) / 3)
        weight = self.inner.weight + 0.01 * torch.randn_like(self.inner.weight)
        if torch.rand(()) < 0.9:
            x = x + torch.tanh(nn.functional.linear(x, weight, self.inner.bias))
        return self.last(x[:, torch.randperm(8)]).square().mean()


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(0)
    own = torch.Generator().manual_seed(1 + rank)
    model = DistributedDataParallel(Projected(own), find_unused_parameters=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in torch.arange(512.0).sin().reshape(2, 4, 8, 8)[rank]:
        optimizer.zero_grad()
        model(x).backward()
        optimizer.step()
    print(model.module.last.bias.tolist()) if rank == 0 else None
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.start_processes(train, args=(scratch,), nprocs=2, start_method="fork")
