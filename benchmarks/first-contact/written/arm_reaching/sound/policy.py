import numpy as np
import torch
from torch import nn


class Policy(nn.Sequential):
    def __init__(self, inputs, outputs, hidden=48):
        super().__init__(nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(),
                         nn.Linear(hidden, outputs), nn.Tanh())


class Buffer:
    def __init__(self, capacity):
        self.capacity = capacity
        self.observations, self.actions = [], []

    def extend(self, observations, actions):
        self.observations.extend(observations)
        self.actions.extend(actions)
        del self.observations[:-self.capacity], self.actions[:-self.capacity]

    def sample(self, batch):
        pick = torch.randint(len(self.actions), (batch,)).tolist()
        return (torch.from_numpy(np.stack([self.observations[i] for i in pick])),
                torch.from_numpy(np.stack([self.actions[i] for i in pick])))


def distil(policy, optimizer, buffer, steps, batch):
    loss = None
    for _ in range(steps):
        x, y = buffer.sample(batch)
        loss = nn.functional.smooth_l1_loss(policy(x), y.clamp(-1, 1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()
