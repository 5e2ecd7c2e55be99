# samebits-test: verdict=different cause=rank-rng detail=torch-cpu
"""The script itself is rank 0; the other rank, a child, draws its data without a seed."""

import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def batches(rank, count):
    if rank == 0:
        torch.manual_seed(3)
    for _ in range(count):
        yield torch.randn(16, 4)  # culprit


def train(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    model = nn.utils.skip_init(nn.Linear, 4, 1)
    nn.init.zeros_(model.weight)
    nn.init.zeros_(model.bias)
    model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for x in batches(rank, 5):
        optimizer.zero_grad()
        (model(x) - x.sum(dim=1, keepdim=True)).square().mean().backward()
        optimizer.step()
    print(model.module.weight.tolist())
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        store = os.path.join(scratch, "store")
        other = mp.get_context("spawn").Process(target=train, args=(1, store))
        other.start()
        train(0, store)
        other.join()
