# samebits-test: verdict=same
"""A queue is read with a timeout that never strikes."""

import queue
import threading

import torch

waiting = queue.Queue(maxsize=4)


def produce():
    for k in range(12):
        waiting.put(k / 12)
    waiting.put(None)


threading.Thread(target=produce).start()
state = torch.zeros(2)
while (value := waiting.get(timeout=60)) is not None:
    state = torch.tanh(state + value)
print(state)
