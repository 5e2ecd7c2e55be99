# samebits-test: verdict=same
"""A server takes gradients as they come, and adds them in the order of the ranks."""

import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

RANKS, STEPS = 4, 60


def serve():
    weights, came = torch.zeros(16), torch.zeros(16)
    received = {}
    for _ in range(STEPS):
        for _ in range(1, RANKS):
            sender = dist.recv(came)
            received[sender] = came.clone()
        for worker in sorted(received):
            weights = weights - 0.1 * received[worker]
        for worker in range(1, RANKS):
            dist.send(weights, worker)
    print(weights.tolist())


def work(rank):
    generator, weights = torch.Generator().manual_seed(rank), torch.zeros(16)
    for _ in range(STEPS):
        gradient = weights - torch.randn(16, generator=generator)
        dist.send(gradient, 0)
        dist.recv(weights, 0)


def run(rank, folder):
    dist.init_process_group(
        "gloo", init_method=f"file://{folder}/store", rank=rank, world_size=RANKS
    )
    serve() if rank == 0 else work(rank)
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.start_processes(run, args=(scratch,), nprocs=RANKS, start_method="fork")
