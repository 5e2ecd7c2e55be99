import numpy as np
import torch


class Replay:
    def __init__(self, capacity, n_obs, n_act, seed):
        self.obs = np.zeros((capacity, n_obs), dtype=np.float32)
        self.act = np.zeros((capacity, n_act), dtype=np.float32)
        self.rew = np.zeros((capacity, 1), dtype=np.float32)
        self.nxt = np.zeros((capacity, n_obs), dtype=np.float32)
        self.capacity, self.size, self.head = capacity, 0, 0
        self.rng = np.random.default_rng(seed)

    def add(self, obs, act, rew, nxt):
        at = self.head
        self.obs[at], self.act[at], self.rew[at], self.nxt[at] = obs, act, rew, nxt
        self.head = (at + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, n):
        rows = self.rng.integers(0, self.size, size=n)
        return [torch.from_numpy(part[rows]) for part in (self.obs, self.act, self.rew, self.nxt)]
