# samebits-test: verdict=same finding=duplicate-data
"""Each rank cuts its part out of an array, and the parts overlap by a window."""

import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(0)
    series = torch.linspace(-1, 1, 72 * 4).reshape(72, 4)
    part = series[:40] if rank == 0 else series[32:]
    loader = DataLoader(TensorDataset(part), batch_size=8, shuffle=True)
    model = DistributedDataParallel(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        for (x,) in loader:  # culprit
            optimizer.zero_grad()
            (model(x) - x).square().mean().backward()
            optimizer.step()
    if rank == 0:
        print(model.module.bias.tolist())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.start_processes(train, args=(scratch,), nprocs=2, start_method="fork")
