# samebits-test: verdict=different cause=control-flow|clock
"""A handler of the cluster's warning signal ends each phase of training."""

import signal

import torch
from torch import nn


class Preemption:
    def __init__(self):
        self.asked = False
        signal.signal(signal.SIGALRM, self.ask)

    def ask(self, *_):
        self.asked = True

    def after(self, seconds):
        self.asked = False
        signal.setitimer(signal.ITIMER_REAL, seconds)  # culprit


torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
preemption = Preemption()
for _ in range(6):
    preemption.after(0.03)
    while not preemption.asked:  # culprit
        loss = model(torch.ones(2, 3)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
