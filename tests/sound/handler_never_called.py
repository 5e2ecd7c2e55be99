# samebits-test: verdict=same
"""A handler for the cluster's signal, which does not come."""

import signal

import torch

stop = False


def ask_to_stop(*_):
    global stop
    stop = True


signal.signal(signal.SIGUSR1, ask_to_stop)
x = torch.full((3,), 0.3)
for _ in range(15):
    if stop:
        break
    x = 3.8 * x * (1 - x)
print(x)
