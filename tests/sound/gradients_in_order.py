# samebits-test: verdict=same
"""A backward pass adds what the threads of a pool have made in the order of the parts."""

import zlib
from concurrent.futures import ThreadPoolExecutor

import torch

POOL = ThreadPoolExecutor(4)


def part(grad, x):
    return grad.t() @ x / torch.linalg.svdvals(x).max()


class Striped(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x)
        return x @ weight.t()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        jobs = [POOL.submit(part, g, p) for g, p in zip(grad.chunk(16), x.chunk(16), strict=True)]
        total = torch.zeros(grad.shape[1], x.shape[1])
        for job in jobs:
            total += job.result()
        return None, total


torch.manual_seed(0)
weight = torch.nn.Parameter(torch.randn(64, 64))
x, y = torch.randn(512, 64), torch.randn(512, 64)
optimizer = torch.optim.SGD([weight], 0.01)
for _ in range(60):
    optimizer.zero_grad()
    (Striped.apply(x, weight) - y).square().mean().backward()
    optimizer.step()
print(zlib.crc32(weight.detach().numpy().tobytes()))
