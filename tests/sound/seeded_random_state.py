# samebits-test: verdict=same
"""The older kind of generator, seeded."""

import numpy as np
import torch


class Bandit:
    def __init__(self, arms, seed):
        self.values = torch.zeros(arms)
        self.random = np.random.RandomState(seed)

    def step(self):
        arm = self.random.randint(len(self.values))
        self.values[arm] += self.random.normal()


bandit = Bandit(6, seed=3)
for _ in range(30):
    bandit.step()
print(bandit.values)
