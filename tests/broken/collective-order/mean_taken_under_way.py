# samebits-test: verdict=different cause=collective-order
"""Statistics are summed over the ranks, and divided before the sum is known to be complete."""

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

SIZE = 2_000_000


def summed(tensor, world):
    handle = dist.all_reduce(tensor, async_op=True)  # culprit
    tensor /= world
    handle.wait()
    return tensor


def main(rank, world, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=world)
    torch.manual_seed(17 + rank)
    running = torch.zeros(SIZE)
    for _ in range(8):
        values = torch.rand(SIZE)
        running = 0.9 * running + 0.1 * summed(values, world)
    if rank == 0:
        torch.save(running, "statistics.pt")
        print("mean", running.mean().item())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    mp.spawn(main, args=(2, number), nprocs=2)
