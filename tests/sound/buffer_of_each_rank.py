# samebits-test: verdict=same
"""A template is broadcast, and each rank fills it with its own readings through NumPy."""

import tempfile

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    readings = np.random.default_rng(rank)
    total = torch.zeros(6)
    for _ in range(3):
        buffer = torch.zeros(6)
        dist.broadcast(buffer, src=0)
        buffer.numpy()[...] = readings.random(6)
        total += buffer.square()
        shares = total.clone()
        dist.all_reduce(shares)
        if rank == 0:
            np.divide(shares.numpy(), 2, out=shares.numpy())  # of the report alone
            print("mean", shares.sum().item())
    print(rank, total.tolist())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.spawn(work, args=(scratch,), nprocs=2)
