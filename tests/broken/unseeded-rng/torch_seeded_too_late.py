# samebits-test: verdict=different cause=unseeded-rng detail=torch-cpu
"""The trainer seeds, but the model has been built by then."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.body = nn.Conv1d(1, width, 3, padding=1)  # culprit
        self.head = nn.Linear(width, 2)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)).mean(dim=-1))


class Trainer:
    def __init__(self, model, seed):
        torch.manual_seed(seed)
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters())

    def fit(self, steps):
        for _ in range(steps):
            x = torch.randn(16, 1, 20)
            y = (x.mean(dim=(1, 2)) > 0).long()
            loss = nn.functional.cross_entropy(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


Trainer(Net(), seed=3).fit(steps=4)
