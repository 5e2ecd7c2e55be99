# samebits-test: verdict=different cause=data-changed
"""Training goes on from the checkpoint that the run before has left."""

import os

import torch
from torch import nn

CHECKPOINT = "last.pt"


class Trainer:
    def __init__(self):
        self.model = nn.Linear(3, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        if os.path.exists(CHECKPOINT):  # culprit
            self.model.load_state_dict(torch.load(CHECKPOINT))  # culprit

    def fit(self, x, y):
        for _ in range(4):
            loss = nn.functional.mse_loss(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        torch.save(self.model.state_dict(), CHECKPOINT)


torch.manual_seed(0)
x = torch.randn(20, 3)
Trainer().fit(x, x.sum(dim=1, keepdim=True))
