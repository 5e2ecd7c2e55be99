# samebits-test: verdict=different cause=rank-rng detail=torch-cpu
"""Only rank 0 sets the seed; dropout on rank 1 goes by none."""

import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    if rank == 0:
        torch.manual_seed(0)
    weight = torch.full((4, 1), 0.5)
    x = torch.linspace(-1, 1, 64).reshape(16, 4)
    for _ in range(10):
        kept = nn.functional.dropout(x, 0.3)  # culprit
        gradient = kept.T @ (kept @ weight - 1)
        dist.all_reduce(gradient)
        weight = weight - 0.01 * gradient
    print(weight.flatten().tolist())
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.spawn(train, args=(scratch,), nprocs=2)
