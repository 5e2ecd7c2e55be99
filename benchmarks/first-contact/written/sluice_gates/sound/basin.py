"""Two basins in a row, each with a gate; rain fills them, the gates empty them."""

import gymnasium as gym
import numpy as np


class TwoBasins(gym.Env):
    def __init__(self, horizon=60):
        self.horizon = horizon
        self.observation_space = gym.spaces.Box(-5.0, 5.0, shape=(4,), dtype=np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, shape=(2,), dtype=np.float32)

    def _observe(self):
        phase = self.time / self.horizon
        return np.array([*(self.level - 1.0), self.rain * 4, phase], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level = self.np_random.uniform(0.6, 1.4, size=2)
        self.rain = 0.1
        self.time = 0
        return self._observe(), {}

    def step(self, action):
        opening = (np.clip(action, -1, 1) + 1) / 2
        outflow = 0.35 * opening * np.sqrt(np.maximum(self.level, 0))
        self.rain = 0.9 * self.rain + 0.1 * self.np_random.gamma(1.0, 0.12)
        self.level[0] += self.rain - outflow[0]
        self.level[1] += 0.3 * self.rain + outflow[0] - outflow[1]
        self.level = np.clip(self.level, 0.0, 3.0)
        self.time += 1
        cost = np.square(self.level - 1.0).sum() + 0.02 * np.square(opening).sum()
        return self._observe(), -float(cost), False, self.time >= self.horizon, {}
