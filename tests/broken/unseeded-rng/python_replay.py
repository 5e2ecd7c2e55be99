# samebits-test: verdict=different cause=unseeded-rng detail=python
"""A replay memory samples by a generator of its own, made without a seed."""

import random
from collections import deque

import torch
from torch import nn


class ReplayMemory:
    def __init__(self, capacity):
        self.transitions = deque(maxlen=capacity)
        self.generator = random.Random()  # culprit

    def push(self, *transition):
        self.transitions.append(transition)

    def sample(self, n):
        return self.generator.sample(list(self.transitions), n)


random.seed(0)
torch.manual_seed(0)
memory = ReplayMemory(256)
for _ in range(128):
    state = torch.randn(4)
    memory.push(state, random.randrange(2), state.sum())

q = nn.Linear(4, 2)
optimizer = torch.optim.Adam(q.parameters())
for _ in range(5):
    states, actions, rewards = zip(*memory.sample(16), strict=True)
    values = q(torch.stack(states)).gather(1, torch.tensor(actions).unsqueeze(1))
    loss = nn.functional.mse_loss(values.squeeze(1), torch.stack(rewards))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
