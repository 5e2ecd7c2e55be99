"""Forecasts where icebergs go, trained by two processes."""
import json
import os
import tempfile
import time
import uuid
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

from averaging import DelayedAverage
from net import Drift
from tracks import windows

WORLD = 2
SEED = 1912
EPOCHS = 5
BATCH = 24
SHORTEST = 8


def mean_miss(model, x, y):
    model.eval()
    with torch.no_grad():
        return (model(x) - y).norm(dim=1).mean().item()


def work(rank, meeting, folder):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=WORLD)
    torch.manual_seed(SEED)
    x, y = windows(3600, SEED)
    test_x, test_y = windows(400, SEED + 1)
    mine = torch.arange(rank, len(x), WORLD)

    model = Drift()
    average = DelayedAverage(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.08, momentum=0.9)
    shuffle = torch.Generator().manual_seed(SEED + rank)
    misses = []
    began = time.perf_counter()
    for epoch in range(EPOCHS):
        model.train()
        for part in mine[torch.randperm(len(mine), generator=shuffle)].split(BATCH):
            hours = int(torch.randint(SHORTEST, x.shape[1] + 1, (1,), generator=shuffle))
            loss = nn.functional.smooth_l1_loss(model(x[part, -hours:]), y[part])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            average.step()
        miss = torch.tensor(mean_miss(model, test_x, test_y))
        dist.all_reduce(miss)
        misses.append(miss.item() / WORLD)
        if rank == 0:
            print(f"epoch {epoch}  miss {misses[-1]:.5f} km  ({time.perf_counter() - began:.1f} s)", flush=True)

    average.finish()
    final = mean_miss(model, test_x, test_y)
    if rank == 0:
        torch.save(model.state_dict(), folder / "drift.pt")
        report = {"misses": misses, "final": final, "merges": average.merged, "host_pid": os.getpid(),
                  "seconds": time.perf_counter() - began}
        (folder / "report.json").write_text(json.dumps(report, indent=1))
        print(f"final miss {final:.6f} km after {average.merged} merges")
    dist.barrier()
    dist.destroy_process_group()


def main():
    folder = Path("forecasts") / f"{time.strftime('%y%m%d')}-{uuid.uuid4().hex[:6]}"
    folder.mkdir(parents=True)
    print(f"writing to {folder}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        mp.spawn(work, args=(os.path.join(scratch, "meeting"), folder), nprocs=WORLD)


if __name__ == "__main__":
    main()
