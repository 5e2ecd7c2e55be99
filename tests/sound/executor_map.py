# samebits-test: verdict=same
"""Executor.map hands results over in the order of what was asked."""

from concurrent.futures import ThreadPoolExecutor

import torch


def evaluate(seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(8, 8, generator=generator).mm(torch.ones(8, 8)).trace()


state = torch.zeros(())
with ThreadPoolExecutor(4) as pool:
    for value in pool.map(evaluate, range(40)):
        state = torch.tanh(state + value)
print(state)
