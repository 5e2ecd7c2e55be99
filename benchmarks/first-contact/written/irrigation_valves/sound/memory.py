import numpy as np
import torch


class Memory:
    """Ring of transitions; minibatches come from a generator of its own."""

    def __init__(self, size, width, seed):
        self.size, self.count, self.next = size, 0, 0
        self.rng = np.random.default_rng(seed)
        self.states = np.zeros((size, width), np.float32)
        self.followings = np.zeros((size, width), np.float32)
        self.actions = np.zeros(size, np.int64)
        self.rewards = np.zeros(size, np.float32)
        self.ends = np.zeros(size, np.float32)

    def add(self, state, action, reward, following, end):
        at = self.next
        self.states[at], self.followings[at] = state, following
        self.actions[at], self.rewards[at], self.ends[at] = action, reward, end
        self.next = (at + 1) % self.size
        self.count = min(self.count + 1, self.size)

    def batch(self, count):
        picked = self.rng.integers(0, self.count, count)
        arrays = (self.states, self.actions, self.rewards, self.followings, self.ends)
        return [torch.from_numpy(array[picked]) for array in arrays]
