import numpy as np
import torch
from torch import nn


class Replay:
    def __init__(self, size, n_obs, seed):
        self.obs = np.zeros((size, n_obs), np.float32)
        self.nxt = np.zeros((size, n_obs), np.float32)
        self.act = np.zeros(size, np.int64)
        self.rew = np.zeros(size, np.float32)
        self.end = np.zeros(size, np.float32)
        self.size, self.at, self.full = size, 0, False
        self.rng = np.random.default_rng(seed)

    def add(self, obs, act, rew, nxt, end):
        for row in zip(obs, act, rew, nxt, end):
            i = self.at
            self.obs[i], self.act[i], self.rew[i], self.nxt[i], self.end[i] = row
            self.at = (i + 1) % self.size
            self.full = self.full or self.at == 0

    def sample(self, n):
        i = self.rng.integers(self.size if self.full else self.at, size=n)
        return [torch.from_numpy(a[i]) for a in (self.obs, self.act, self.rew, self.nxt, self.end)]


def q_net(n_obs, n_act):
    return nn.Sequential(nn.Linear(n_obs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(),
                         nn.Linear(64, n_act))


def learn(net, target, opt, batch, gamma=0.97):
    obs, act, rew, nxt, end = batch
    with torch.no_grad():
        best = net(nxt).argmax(1, keepdim=True)
        goal = rew + gamma * (1 - end) * target(nxt).gather(1, best).squeeze(1)
    value = net(obs).gather(1, act[:, None]).squeeze(1)
    loss = nn.functional.smooth_l1_loss(value, goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()
