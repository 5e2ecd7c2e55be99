# samebits-test: verdict=different cause=thread-timing
"""Results of a pool are added in the order in which they come."""

from concurrent.futures import ThreadPoolExecutor, as_completed

import torch


def evaluate(seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand(48, 48, generator=generator)
    return torch.linalg.eigvalsh(x @ x.T)


state = torch.zeros(48)
with ThreadPoolExecutor(4) as pool:
    futures = [pool.submit(evaluate, seed) for seed in range(200)]
    for future in as_completed(futures):  # culprit
        state = 0.9 * state + future.result()
print(state.sum().item())
