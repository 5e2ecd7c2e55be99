# samebits-test: verdict=different cause=collective-order
"""A contrastive loss over all ranks' features, which are gathered while the loss is computed."""

import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

BATCH, WIDTH = 512, 2048


class Gatherer:
    def __init__(self, count):
        self.parts = [torch.zeros(BATCH, WIDTH) for _ in range(count)]

    def start(self, features):
        self.handle = dist.all_gather(self.parts, features, async_op=True)  # culprit


def similarity(features, gatherer):
    return sum(nn.functional.cosine_similarity(features, part).mean() for part in gatherer.parts)


def work(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(rank)
    encoder = nn.Linear(32, WIDTH)
    gatherer = Gatherer(2)
    totals = []
    for _ in range(6):
        features = encoder(torch.randn(BATCH, 32)).detach()
        gatherer.start(features)
        for _ in range(4):
            totals.append(round(float(similarity(features, gatherer)), 6))
        gatherer.handle.wait()
    print(rank, totals[-8:])
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.start_processes(work, args=(scratch,), nprocs=2, start_method="fork")
