# samebits-test: verdict=same
"""A thread writes what training hands it; training never waits for an answer."""

import queue
import tempfile
import threading

import torch

lines = queue.Queue()


def write(file):
    while (line := lines.get()) is not None:
        file.write(line)


torch.manual_seed(0)
x = torch.randn(4, 4)
with tempfile.TemporaryFile("w") as file:
    writer = threading.Thread(target=write, args=(file,))
    writer.start()
    for step in range(10):
        x = torch.tanh(x @ x.T / 4)
        lines.put(f"{step} {x.sum().item()}\n")
    lines.put(None)
    writer.join()
print(x.diagonal())
