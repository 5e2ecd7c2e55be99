# samebits-test: verdict=different cause=thread-timing
"""Threads update shared weights without a lock, as Hogwild does."""

import threading

import torch

weights = torch.zeros(16)


def train(worker):
    generator = torch.Generator().manual_seed(worker)
    for _ in range(4000):
        gradient = weights - torch.rand(16, generator=generator)
        weights.sub_(0.001 * gradient)


threads = [threading.Thread(target=train, args=(k,)) for k in range(4)]  # culprit
for thread in threads:
    thread.start()  # culprit
for thread in threads:
    thread.join()
print((weights * torch.arange(16)).sum())
