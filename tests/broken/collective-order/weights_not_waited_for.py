# samebits-test: verdict=different cause=collective-order
"""The trainer sends its weights to the evaluators, who begin before the weights have come."""

import os
import subprocess
import sys

import torch
import torch.distributed as dist

ROUNDS, SIZE = 12, 3_000_000


def evaluate(weights, probe):
    return (weights.view(-1, 1000) @ probe).square().mean().item()


def main():
    rank = int(os.environ.get("RANK", "0"))
    if rank == 0:
        command = [sys.executable, *sys.argv]
        other = subprocess.Popen(command, env={**os.environ, "RANK": "1"})
    store = f"file://{os.path.abspath('meeting')}"
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=2)
    generator = torch.Generator().manual_seed(3)
    weights, probe = torch.zeros(SIZE), torch.ones(1000)
    scores, handles = [], []
    for _ in range(ROUNDS):
        if rank == 0:
            weights = torch.randn(SIZE, generator=generator)
        handles.append(dist.broadcast(weights, src=0, async_op=True))  # culprit
        for _ in range(6):
            scores.append(evaluate(weights, probe))
        handles[-1].wait()
    if rank == 1:
        print(scores[::7])
    dist.barrier()
    dist.destroy_process_group()
    if rank == 0:
        other.wait()
        os.unlink("meeting")


if __name__ == "__main__":
    main()
