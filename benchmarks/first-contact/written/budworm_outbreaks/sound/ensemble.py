import numpy as np
import torch
from torch import nn

from rngs import make_rng


class Member:
    """One network of the ensemble, trained on its own bootstrap sample of the stands."""

    def __init__(self, number, features, width=40):
        self.number = number
        self.rng = make_rng(f"member {number}", seed=number)
        torch.manual_seed(1000 + number)
        self.net = nn.Sequential(
            nn.Linear(features, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1))
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=3e-3, weight_decay=0.01)

    def fit(self, x, y, epochs=14, batch_size=64):
        drawn = self.rng.integers(0, len(y), len(y))
        x, y = x[drawn], y[drawn]
        for _ in range(epochs):
            order = torch.from_numpy(self.rng.permutation(len(y)))
            for rows in order.split(batch_size):
                self.optimizer.zero_grad()
                loss = nn.functional.huber_loss(self(x[rows]), y[rows], delta=0.2)
                loss.backward()
                self.optimizer.step()
        return loss.item(), len(np.unique(drawn))

    def __call__(self, x):
        return self.net(x).squeeze(1)
