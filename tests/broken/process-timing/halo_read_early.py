# samebits-test: verdict=different cause=process-timing
"""Two halves of a rod exchange their ends in the background, which are read before they came."""

import os
import subprocess
import sys

import torch
import torch.distributed as dist

STEPS, CELLS, WIDTH = 400, 64, 256


def main():
    rank = int(os.environ.get("RANK", "0"))
    if rank == 0:
        command = [sys.executable, *sys.argv]
        other = subprocess.Popen(command, env={**os.environ, "RANK": "1"})
    store = f"file://{os.path.abspath('meeting')}"
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=2)
    rod = torch.rand(CELLS, WIDTH, generator=torch.Generator().manual_seed(rank))
    came = torch.zeros(WIDTH)
    for _ in range(STEPS):
        sent = rod[-1].clone()
        pending = [dist.irecv(came, 1 - rank), dist.isend(sent, 1 - rank)]
        inner = (rod + rod.roll(1, 0)) / 2
        inner[-1] += 0.1 * (came - rod[-1])  # culprit
        for work in pending:
            work.wait()
        rod = inner
    print(rank, rod.double().sum().item())
    dist.destroy_process_group()
    if rank == 0:
        other.wait()
        os.unlink("meeting")


if __name__ == "__main__":
    main()
