# samebits-test: verdict=same
"""A schedule of torch drives two stages; it runs them once on empty memory, for the shapes."""

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
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    for _ in range(3):
        losses = []
        schedule.step(data) if rank == 0 else schedule.step(target=target, losses=losses)
        optimizer.step()
        optimizer.zero_grad()
        print(f"rank {rank}: {[loss.item() for loss in losses]}\n", end="")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.start_processes(train, args=(scratch,), nprocs=2, start_method="fork")
