"""Double DQN for the lock keeper."""
import copy

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Replay:
    def __init__(self, size: int, obs_dim: int, seed: int):
        self.obs = np.zeros((size, obs_dim), np.float32)
        self.next_obs = np.zeros((size, obs_dim), np.float32)
        self.action = np.zeros(size, np.int64)
        self.reward = np.zeros(size, np.float32)
        self.size, self.filled, self.head = size, 0, 0
        self.rng = np.random.default_rng(seed)

    def add(self, obs, action, reward, next_obs):
        i = self.head
        self.obs[i], self.action[i], self.reward[i], self.next_obs[i] = obs, action, reward, next_obs
        self.head = (i + 1) % self.size
        self.filled = min(self.filled + 1, self.size)

    def sample(self, count: int):
        pick = self.rng.integers(0, self.filled, count)
        parts = self.obs[pick], self.action[pick], self.reward[pick], self.next_obs[pick]
        return tuple(torch.from_numpy(p) for p in parts)


class Keeper:
    def __init__(self, obs_dim: int, n_actions: int, lr: float = 1e-3, gamma: float = 0.97):
        self.net = nn.Sequential(
            nn.Linear(obs_dim, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, n_actions)
        )
        self.target = copy.deepcopy(self.net).requires_grad_(False)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)
        self.gamma = gamma

    @torch.no_grad()
    def act(self, obs: np.ndarray) -> int:
        return int(self.net(torch.from_numpy(obs)).argmax())

    def learn(self, batch) -> float:
        obs, action, reward, next_obs = batch
        q = self.net(obs).gather(1, action[:, None])[:, 0]
        with torch.no_grad():
            best = self.net(next_obs).argmax(1, keepdim=True)
            goal = reward + self.gamma * self.target(next_obs).gather(1, best)[:, 0]
        loss = F.smooth_l1_loss(q, goal)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.opt.step()
        return loss.item()

    def sync(self, tau: float = 0.02):
        for slow, fast in zip(self.target.parameters(), self.net.parameters()):
            slow.data.lerp_(fast.data, tau)
