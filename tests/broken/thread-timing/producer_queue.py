# samebits-test: verdict=different cause=thread-timing
"""Three producers feed one queue; the model sees batches as they arrive."""

import queue
import threading
import time

import torch
from torch import nn


class Feeder:
    def __init__(self, producers, each):
        self.queue = queue.Queue()
        self.total = producers * each
        for number in range(producers):
            threading.Thread(target=self.produce, args=(number, each)).start()  # culprit

    def produce(self, number, each):
        for k in range(each):
            time.sleep(0.0005)
            self.queue.put(number + k / each)

    def __iter__(self):
        for _ in range(self.total):
            yield self.queue.get()  # culprit


torch.manual_seed(0)
model = nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
values = []
for value in Feeder(producers=3, each=80):
    values.append(value)
for batch in torch.tensor(values).view(-1, 4).split(10):
    loss = (model(batch) - batch).square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
