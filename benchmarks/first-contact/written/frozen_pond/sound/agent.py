import collections
import random

import numpy as np
import torch
from torch import nn

Transition = collections.namedtuple("Transition", "obs action reward nxt done")


class Replay:
    def __init__(self, capacity, seed):
        self.items = collections.deque(maxlen=capacity)
        self.rng = random.Random(seed)

    def __len__(self):
        return len(self.items)

    def push(self, *args):
        self.items.append(Transition(*args))

    def sample(self, k):
        batch = Transition(*zip(*self.rng.sample(self.items, k)))
        return (
            torch.from_numpy(np.stack(batch.obs)),
            torch.tensor(batch.action),
            torch.tensor(batch.reward, dtype=torch.float32),
            torch.from_numpy(np.stack(batch.nxt)),
            torch.tensor(batch.done, dtype=torch.float32),
        )


class Agent:
    def __init__(self, n_obs, n_actions, lr, gamma, seed):
        self.online = nn.Sequential(nn.Linear(n_obs, 48), nn.Tanh(), nn.Linear(48, n_actions))
        self.target = nn.Sequential(nn.Linear(n_obs, 48), nn.Tanh(), nn.Linear(48, n_actions))
        self.sync()
        self.opt = torch.optim.Adam(self.online.parameters(), lr=lr)
        self.gamma = gamma
        self.n_actions = n_actions
        self.rng = np.random.default_rng(seed)

    def sync(self):
        self.target.load_state_dict(self.online.state_dict())

    @torch.no_grad()
    def act(self, obs, epsilon):
        if self.rng.random() < epsilon:
            return int(self.rng.integers(self.n_actions))
        return int(self.online(torch.from_numpy(obs)).argmax())

    def learn(self, batch):
        obs, action, reward, nxt, done = batch
        q = self.online(obs).gather(1, action[:, None]).squeeze(1)
        with torch.no_grad():
            goal = reward + self.gamma * (1 - done) * self.target(nxt).max(1).values
        loss = nn.functional.smooth_l1_loss(q, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
