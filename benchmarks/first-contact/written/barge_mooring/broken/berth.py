"""A barge that is brought alongside a quay against current and wind."""
import gymnasium as gym
import numpy as np
from gymnasium import spaces


class BargeBerth(gym.Env):
    THRUSTS = np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)], dtype=np.float32)

    def __init__(self, horizon=60):
        self.horizon = horizon
        self.action_space = spaces.Discrete(len(self.THRUSTS))
        self.observation_space = spaces.Box(-np.inf, np.inf, (6,), np.float32)

    def _observe(self):
        return np.concatenate([self.place, self.speed, self.current]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-1, 1, size=2) + np.array([0.0, 1.5])
        self.speed = np.zeros(2)
        self.current = self.np_random.normal(scale=0.02, size=2)
        self.left = self.horizon
        return self._observe(), {}

    def step(self, action):
        gust = self.np_random.normal(scale=0.01, size=2)
        self.speed = 0.9 * self.speed + 0.08 * self.THRUSTS[action] + self.current + gust
        self.place = self.place + 0.5 * self.speed
        self.left -= 1
        distance = float(np.hypot(*self.place))
        moored = distance < 0.15
        reward = 10.0 if moored else -0.1 * distance - 0.02 * float(action != 0)
        return self._observe(), reward, moored, self.left == 0, {"distance": distance}
