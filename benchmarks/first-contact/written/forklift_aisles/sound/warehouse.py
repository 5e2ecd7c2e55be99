"""A warehouse of aisles; the forklift must reach a pallet."""
import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Warehouse(gym.Env):
    size = 7
    limit = 40
    moves = ((0, 1), (1, 0), (0, -1), (-1, 0))

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (5,), np.float32)
        self.action_space = spaces.Discrete(4)

    def _look(self):
        offset = (self.pallet - self.truck) / self.size
        return np.array([*(self.truck / self.size), *offset, self.clock / self.limit], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.truck = self.np_random.integers(0, self.size, 2)
        self.pallet = self.np_random.integers(0, self.size, 2)
        self.clock = 0
        return self._look(), {}

    def step(self, action):
        self.clock += 1
        if self.np_random.random() >= 0.05:
            moved = self.truck + self.moves[action]
            blocked = moved[0] % 2 == 1 and moved[1] not in (0, 3, self.size - 1)
            if not blocked and (moved >= 0).all() and (moved < self.size).all():
                self.truck = moved
        ended = bool((self.truck == self.pallet).all())
        return self._look(), 1.0 if ended else -0.02, ended, self.clock >= self.limit, {}
