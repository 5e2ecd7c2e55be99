# samebits-test: verdict=same finding=identical-randomness
"""Both ranks are seeded alike, and add the same noise to their own halves of the data."""

import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 6))

    def forward(self, x):
        noisy = x + 0.1 * torch.randn_like(x)  # culprit
        return (self.layers(noisy) - x).square().mean()


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = DistributedDataParallel(Denoiser())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in torch.linspace(-1, 1, 2 * 4 * 8 * 6).reshape(2, 4, 8, 6)[rank]:
        optimizer.zero_grad()
        model(x).backward()
        optimizer.step()
    if rank == 0:
        print(model.module.layers[0].bias.tolist())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.start_processes(train, args=(scratch,), nprocs=2, start_method="fork")
