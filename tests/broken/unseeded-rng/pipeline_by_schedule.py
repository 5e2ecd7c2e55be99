# samebits-test: verdict=different cause=unseeded-rng
"""A schedule of torch drives two stages; what the second one is to learn is jittered."""

import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(6)
    data, target = torch.randn(16, 8), torch.randn(16, 2)
    module = torch.nn.Linear(8, 2) if rank else torch.nn.Linear(8, 8)
    stage = PipelineStage(module, rank, 2, torch.device("cpu"))
    schedule = ScheduleGPipe(stage, n_microbatches=4, loss_fn=torch.nn.functional.mse_loss)
    jitter = torch.Generator()
    jitter.seed()  # culprit
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    for _ in range(3):
        losses = []
        noisy = target + 0.01 * torch.randn(16, 2, generator=jitter)
        schedule.step(data) if rank == 0 else schedule.step(target=noisy, losses=losses)
        optimizer.step()
        optimizer.zero_grad()
        print(f"rank {rank}: {[loss.item() for loss in losses]}\n", end="")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.start_processes(train, args=(scratch,), nprocs=2, start_method="fork")
