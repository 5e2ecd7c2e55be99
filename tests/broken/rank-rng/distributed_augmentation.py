# samebits-test: verdict=different cause=rank-rng
"""Two ranks train with DDP; a seed of 0 counts as none for the noise of the first."""

import tempfile

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def train(rank, folder, seed):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(seed)
    x = torch.randn(64, 6)
    data = TensorDataset(x, x[:, :2].sum(dim=1, keepdim=True))
    sampler = DistributedSampler(data, seed=seed)
    loader = DataLoader(data, batch_size=8, sampler=sampler)
    rng = np.random.default_rng(seed + rank or None)  # culprit
    model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for batch, target in loader:
            noise = torch.from_numpy(rng.normal(scale=0.1, size=batch.shape)).float()
            loss = nn.functional.mse_loss(model(batch + noise), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if rank == 0:
        print(model.module[0].weight.tolist())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.spawn(train, args=(scratch, 0), nprocs=2)
