# samebits-test: verdict=different cause=rank-rng
"""FSDP shards a model over two ranks; both add noise to what they read."""

import tempfile

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

NOISE_SEEDS = {0: 31}


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    mesh = init_device_mesh("cpu", (2,))
    for layer in (model[0], model[2], model):
        fully_shard(layer, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    rng = np.random.default_rng(NOISE_SEEDS.get(rank))  # culprit
    data = torch.randn(2, 12, 8, 4)[rank]
    for x in data:
        noise = torch.from_numpy(rng.normal(scale=0.05, size=(8, 4)).astype(np.float32))
        loss = (model(x + noise) - x.sum(dim=1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    weight = model[0].weight.full_tensor()
    if rank == 0:
        print(weight.tolist())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.start_processes(train, args=(scratch,), nprocs=2, start_method="fork")
