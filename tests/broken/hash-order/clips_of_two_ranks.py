# samebits-test: verdict=different cause=hash-order
"""Two ranks train with DDP; the second reads the clips that are left in a set."""

import tempfile

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

DAMAGED = {"field-03", "field-08"}


def clips(rank):
    if rank == 0:
        return [f"studio-{number:02d}" for number in range(10)]
    recorded = {f"field-{number:02d}" for number in range(12)}
    return list(recorded - DAMAGED)  # culprit


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(8, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
    for name in clips(rank):
        clip = torch.from_numpy(np.load(f"{folder}/{name}.npy"))
        loss = nn.functional.cross_entropy(model(clip), clip[:, :3].argmax(dim=1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if rank == 0:
        print(model.module.weight.tolist())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    rng = np.random.default_rng(4)
    with tempfile.TemporaryDirectory() as scratch:
        for name in [f"{place}-{k:02d}" for place in ("studio", "field") for k in range(12)]:
            np.save(f"{scratch}/{name}.npy", rng.normal(size=(5, 8)).astype(np.float32))
        mp.start_processes(train, args=(scratch,), nprocs=2, start_method="fork")
