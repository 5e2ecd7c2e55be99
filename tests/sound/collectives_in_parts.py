# samebits-test: verdict=same
"""Sums that are looked at in parts, overwritten, thrown away, or of a few ranks only."""

import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=3)
    pair = dist.new_group([0, 2])
    torch.manual_seed(0)
    buckets = torch.full((4, 256), float(rank))
    handle = dist.all_reduce(buckets, async_op=True)
    rows = buckets.unbind(0)  # views, while the sum is under way
    handle.wait()
    rows[rank].mul_(rank + 1)  # each rank goes on with a part of its own
    total = buckets.sum()
    loss = torch.tensor([float(total)])
    dist.all_reduce(loss)
    if rank == 0:
        print(loss.item())
    del loss  # the other ranks have not looked at it
    scratch = torch.ones(1) * rank
    scratch += 1
    if rank != 1:
        dist.all_reduce(scratch, group=pair)
        scratch /= 2
    dist.reduce(scratch, 0)
    sizes = [torch.empty(rank_ + 1) for rank_ in range(3)]
    for source, size in enumerate(sizes):
        if source == rank:
            size.fill_(rank)
        dist.broadcast(size, source)
    answers = [None] * 3
    dist.all_gather_object(answers, "x" * (rank + 1))
    print(rank, float(scratch if rank == 0 else 0), [float(size.sum()) for size in sizes], answers)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.spawn(work, args=(scratch,), nprocs=3)
