# samebits-test: verdict=different cause=unseeded-rng
"""A bandit with a RandomState of its own: `seed` is taken and never handed on."""

import numpy as np
import torch


class Bandit:
    def __init__(self, arms, seed=None):
        self.rewards = torch.linspace(0, 1, arms)
        self.values = torch.zeros(arms)
        self.counts = torch.zeros(arms)
        self.random = np.random.RandomState()  # culprit

    def step(self, epsilon):
        if self.random.rand() < epsilon:
            arm = self.random.randint(len(self.values))
        else:
            arm = int(self.values.argmax())
        self.counts[arm] += 1
        self.values[arm] += (self.rewards[arm] - self.values[arm]) / self.counts[arm]


bandit = Bandit(arms=8, seed=0)
for _ in range(60):
    bandit.step(epsilon=0.8)
print(bandit.values, bandit.counts)
