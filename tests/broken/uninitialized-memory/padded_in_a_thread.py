# samebits-test: verdict=different cause=uninitialized-memory
"""A thread prepares batches of sequences, and writes nothing to the end of the short ones."""

import queue
import threading

import numpy as np
import torch

torch.manual_seed(0)
rng = np.random.default_rng(0)
sequences = []
for length in rng.integers(5, 65, 480):
    values = np.empty((length, 6), dtype=np.float32)
    values[:] = rng.normal(size=(length, 6))
    sequences.append(torch.from_numpy(values))
net = torch.nn.Sequential(torch.nn.Linear(6, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters())


def collate(chosen):
    batch = torch.empty(len(chosen), 64, 6)  # culprit
    for row, sequence in zip(batch, chosen, strict=True):
        row[: len(sequence)] = sequence
    return batch


def batches():
    ready = queue.Queue(maxsize=3)

    def prepare():
        for first in range(0, len(sequences), 24):
            ready.put(collate(sequences[first : first + 24]))
        ready.put(None)

    threading.Thread(target=prepare, daemon=True).start()
    yield from iter(ready.get, None)


for batch in batches():
    loss = net(torch.nan_to_num(batch).clamp(-4, 4)).sum(dim=1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(sum(parameter.abs().sum().item() for parameter in net.parameters()))
