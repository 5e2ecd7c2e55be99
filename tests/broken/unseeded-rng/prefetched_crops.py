# samebits-test: verdict=different cause=unseeded-rng
"""A thread prepares batches ahead; the model trains on them in the order of the queue."""

import queue
import random
import threading

import torch
from torch import nn


class Prefetch:
    """Crops windows of a signal on a thread of its own."""

    def __init__(self, signal, batches, width):
        self.signal = signal
        self.ready = queue.Queue(maxsize=4)
        self.rng = random.Random()  # culprit
        self.thread = threading.Thread(target=self.fill, args=(batches, width), daemon=True)
        self.thread.start()

    def fill(self, batches, width):
        for _ in range(batches):
            starts = [self.rng.randrange(len(self.signal) - width) for _ in range(8)]
            crops = torch.stack([self.signal[start : start + width] for start in starts])
            self.ready.put(crops - crops.mean(dim=1, keepdim=True))
        self.ready.put(None)

    def __iter__(self):
        while (crops := self.ready.get()) is not None:
            yield crops
        self.thread.join()


torch.manual_seed(0)
signal = torch.linspace(0, 60, 2000).sin()
model = nn.Sequential(nn.Linear(32, 8), nn.Tanh(), nn.Linear(8, 32))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for crops in Prefetch(signal, batches=40, width=32):
    loss = (model(crops) - crops).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.8f}")
