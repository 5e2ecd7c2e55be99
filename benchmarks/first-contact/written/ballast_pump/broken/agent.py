"""Q-network whose dropout is also its exploration, and what it has seen."""
import numpy as np
import torch
from torch import nn


class QNet(nn.Module):
    def __init__(self, obs=4, actions=5, width=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, width), nn.ReLU(), nn.Dropout(0.1),
                                  nn.Linear(width, width), nn.ReLU(), nn.Dropout(0.1), nn.Linear(width, actions))

    def forward(self, x):
        return self.body(x)

    @torch.no_grad()
    def act(self, obs):
        return int(self(torch.from_numpy(obs)).argmax())


class Replay:
    def __init__(self, size, rng):
        self.size, self.rng, self.n = size, rng, 0
        self.obs, self.next = np.zeros((size, 4), np.float32), np.zeros((size, 4), np.float32)
        self.action, self.reward = np.zeros(size, np.int64), np.zeros(size, np.float32)

    def add(self, obs, action, reward, after):
        i = self.n % self.size
        self.obs[i], self.action[i], self.reward[i], self.next[i] = obs, action, reward, after
        self.n += 1

    def draw(self, count):
        i = self.rng.integers(min(self.n, self.size), size=count)
        return [torch.from_numpy(a[i]) for a in (self.obs, self.action, self.reward, self.next)]
