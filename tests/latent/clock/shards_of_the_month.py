# samebits-test: vary=clock cause=clock
"""Two ranks train on shards that the month chooses."""

import tempfile
from datetime import date

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(0)
    shards = torch.linspace(-1, 1, 12 * 2 * 32).reshape(12, 2, 8, 4)
    x = shards[date.today().month - 1, rank]  # culprit
    model = DistributedDataParallel(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(5):
        loss = (model(x) - x.sum(dim=1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if rank == 0:
        print(model.module.weight.tolist())
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.spawn(train, args=(scratch,), nprocs=2)
