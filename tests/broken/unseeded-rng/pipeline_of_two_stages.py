# samebits-test: verdict=different cause=unseeded-rng
"""Two stages hand activations on and gradients back; the second masks at random."""

import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def first(stage, batch):
    hidden = torch.tanh(stage(batch))
    dist.send(hidden.detach(), dst=1)
    dist.recv(gradient := torch.empty_like(hidden), src=1)
    hidden.backward(gradient)


def second(stage, target, generator):
    hidden = torch.empty(8, 12, requires_grad=True)
    dist.recv(hidden.data, src=0)
    keep = torch.rand(8, 12, generator=generator) > 0.2
    (stage(hidden * keep / 0.8) - target).square().mean().backward()
    dist.send(hidden.grad, dst=0)


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(5)
    data = torch.randn(25, 8, 4)
    stage = torch.nn.Linear(12, 1) if rank else torch.nn.Linear(4, 12)
    optimizer = torch.optim.SGD(stage.parameters(), lr=0.1)
    generator = torch.Generator()
    generator.seed()  # culprit
    for batch in data:
        first(stage, batch) if rank == 0 else second(stage, batch[:, :1], generator)
        optimizer.step()
        optimizer.zero_grad()
    print(f"stage {rank}: {stage.weight.flatten()[:6].tolist()}\n", end="")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.start_processes(train, args=(scratch,), nprocs=2, start_method="fork")
