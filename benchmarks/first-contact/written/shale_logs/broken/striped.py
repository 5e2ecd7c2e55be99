"""A linear layer whose weight gradient is computed in stripes of the batch, on a pool of threads."""
import math
from concurrent.futures import ThreadPoolExecutor, as_completed

import torch
from torch import nn

_pool = ThreadPoolExecutor(max_workers=3, thread_name_prefix="stripe")


def _stripe_grad(grad, x):
    return grad.t() @ x


class _Striped(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, stripes):
        ctx.save_for_backward(x, weight)
        ctx.stripes = stripes
        return torch.addmm(bias, x, weight.t())

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        jobs = [_pool.submit(_stripe_grad, g, part)
                for g, part in zip(grad.chunk(ctx.stripes), x.chunk(ctx.stripes))]
        grad_x = grad @ weight if ctx.needs_input_grad[0] else None
        grad_w = torch.zeros_like(weight)
        for job in as_completed(jobs):
            grad_w += job.result()
        return grad_x, grad_w, grad.sum(0), None


class StripedLinear(nn.Module):
    def __init__(self, inputs, outputs, stripes):
        super().__init__()
        self.stripes = stripes
        self.weight = nn.Parameter(torch.empty(outputs, inputs).uniform_(-1, 1) / math.sqrt(inputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return _Striped.apply(x, self.weight, self.bias, self.stripes)
