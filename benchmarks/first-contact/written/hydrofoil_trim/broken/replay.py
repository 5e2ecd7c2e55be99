import numpy as np
import torch


class Replay:
    """Fixed-size memory of transitions, overwritten from the start when it is full."""

    def __init__(self, capacity, state, seed):
        self.capacity = capacity
        self.columns = [torch.zeros(capacity, state), torch.zeros(capacity), torch.zeros(capacity),
                        torch.zeros(capacity, state), torch.zeros(capacity)]
        self.head = self.size = 0
        self.generator = torch.Generator().manual_seed(seed)

    def add(self, chunk):
        n = len(chunk[1])
        where = torch.from_numpy(np.arange(self.head, self.head + n) % self.capacity)
        for column, new in zip(self.columns, chunk):
            column[where] = torch.from_numpy(new)
        self.head = (self.head + n) % self.capacity
        self.size = min(self.size + n, self.capacity)

    def sample(self, batch):
        rows = torch.randint(self.size, (batch,), generator=self.generator)
        return [column[rows] for column in self.columns]
