# samebits-test: verdict=different cause=thread-timing
"""A thread keeps snapshots of the weights; they share memory with the weights in training."""

import queue
import threading
import time

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
jobs, kept = queue.Queue(), []


def keep():
    while (state := jobs.get()) is not None:
        time.sleep(0.003)
        kept.append({name: value.numpy().copy() for name, value in state.items()})


thread = threading.Thread(target=keep)
thread.start()  # culprit
for step in range(200):
    x = torch.randn(64, 6)
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 40 == 9:
        jobs.put({n: p.detach() for n, p in model.named_parameters()})  # culprit
jobs.put(None)
thread.join()
print(torch.stack([torch.from_numpy(state["weight"]) for state in kept]).mean(0))
