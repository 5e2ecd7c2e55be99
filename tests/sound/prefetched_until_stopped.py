# samebits-test: verdict=same
"""A thread prepares batches until it is told to stop: how far ahead it is then goes by timing."""

import os
import queue
import threading
import time

import numpy as np
import torch


class Feeder:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.ready = queue.Queue(maxsize=50)
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._fill, daemon=True)

    def _fill(self):
        while not self.stopping.is_set():
            time.sleep(0.002)
            self.ready.put(torch.from_numpy(self.rng.normal(size=(8, 10))).float())


torch.manual_seed(0)
model = torch.nn.Linear(10, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
feeder = Feeder(1)
feeder.thread.start()
for _ in range(30):
    x = feeder.ready.get()
    time.sleep(0.006 * os.urandom(1)[0] / 255)  # the machine is busy now and then
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
feeder.stopping.set()
feeder.thread.join()
print(loss.item(), model.weight.sum().item())
