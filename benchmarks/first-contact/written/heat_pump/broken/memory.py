"""What the agent remembers, and how it explores."""

import random

import numpy as np
import torch


class Replay:
    def __init__(self, capacity, observed, seed=0):
        self.store = torch.zeros(capacity, 2 * observed + 3)
        self.observed = observed
        self.filled = 0
        self.rng = np.random.default_rng(seed)

    def add(self, seen, action, reward, then, done):
        row = torch.tensor([*seen, *then, float(action), reward, float(done)])
        self.store[self.filled % len(self.store)] = row
        self.filled += 1

    def sample(self, count):
        rows = self.rng.integers(0, min(self.filled, len(self.store)), size=count)
        batch, n = self.store[torch.from_numpy(rows)], self.observed
        return batch[:, :n], batch[:, n : 2 * n], batch[:, -3].long(), batch[:, -2], batch[:, -1]

    def state_dict(self):
        return {"store": self.store, "filled": self.filled, "rng": self.rng.bit_generator.state}

    def load_state_dict(self, state):
        self.store.copy_(state["store"])
        self.filled = state["filled"]
        self.rng.bit_generator.state = state["rng"]


class Explorer:
    """Epsilon-greedy choice; epsilon falls with the number of choices made."""

    def __init__(self, actions, seed=None, start=1.0, end=0.08, decay=900):
        self.actions = actions
        self.rng = random.Random(seed)
        self.start, self.end, self.decay = start, end, decay

    def epsilon(self, steps):
        return max(self.end, self.start - (self.start - self.end) * steps / self.decay)

    def choose(self, greedy, steps):
        if self.rng.random() < self.epsilon(steps):
            return self.rng.randrange(self.actions)
        return greedy()

    def state_dict(self):
        return {"rng": self.rng.getstate()}

    def load_state_dict(self, state):
        self.rng.setstate(state["rng"])
