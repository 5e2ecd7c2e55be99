"""A fair sample of fixed size from a stream of unknown length."""
import random

import torch


class Reservoir:
    def __init__(self, capacity, width, seed):
        self.capacity = capacity
        self.random = random.Random(seed)
        self.data = torch.zeros(capacity, width)
        self.seen = 0

    def extend(self, rows):
        for row in rows:
            slot = self.seen if self.seen < self.capacity else self.random.randrange(self.seen + 1)
            if slot < self.capacity:
                self.data[slot] = row
            self.seen += 1

    def rows(self):
        return self.data[:min(self.seen, self.capacity)]
