import random
from collections import deque

import numpy as np
import torch
from torch import nn


class Memory:
    def __init__(self, capacity, seed=None):
        self.rows = deque(maxlen=capacity)
        self.rng = random.Random()
        if seed is not None:
            self.rng.seed(seed)

    def push(self, *row):
        self.rows.append(row)

    def sample(self, size):
        picked = self.rng.sample(self.rows, size)
        state, action, reward, after, ended = zip(*picked)
        return (torch.from_numpy(np.stack(state)), torch.tensor(action), torch.tensor(reward),
                torch.from_numpy(np.stack(after)), torch.tensor(ended, dtype=torch.float32))

    def __len__(self):
        return len(self.rows)


class QAgent:
    def __init__(self, inputs, actions, lr=1e-3, gamma=0.95, seed=None):
        self.actions, self.gamma = actions, gamma
        self.online = self._network(inputs, actions)
        self.target = self._network(inputs, actions)
        self.sync()
        self.optimiser = torch.optim.Adam(self.online.parameters(), lr=lr)
        self.explore = np.random.default_rng(seed)

    @staticmethod
    def _network(inputs, actions):
        return nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(),
                             nn.Linear(64, actions))

    def sync(self):
        self.target.load_state_dict(self.online.state_dict())

    @torch.no_grad()
    def act(self, state, epsilon):
        if self.explore.random() < epsilon:
            return int(self.explore.integers(self.actions))
        return int(self.online(torch.from_numpy(state)).argmax())

    def learn(self, batch):
        state, action, reward, after, ended = batch
        with torch.no_grad():
            choice = self.online(after).argmax(1, keepdim=True)
            value = self.target(after).gather(1, choice).squeeze(1)
            goal = reward + self.gamma * (1 - ended) * value
        guess = self.online(state).gather(1, action[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(guess, goal)
        self.optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.online.parameters(), 5.0)
        self.optimiser.step()
        return loss.item()
