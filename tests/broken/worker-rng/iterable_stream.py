# samebits-test: verdict=different cause=worker-rng
"""A stream of sentences with a shuffle buffer, one in each worker."""

import random

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        rng = random.Random()  # culprit
        buffer = []
        for token in range(info.id, 64, info.num_workers):
            buffer.append(token)
            if len(buffer) == 12:
                yield buffer.pop(rng.randrange(len(buffer)))
        rng.shuffle(buffer)
        yield from buffer


torch.manual_seed(5)
table = torch.randn(64, 4)
state = torch.zeros(4)
for tokens in DataLoader(Stream(), batch_size=8, num_workers=2):
    state = torch.tanh(0.5 * state + table[tokens].mean(dim=0))
print(state)
