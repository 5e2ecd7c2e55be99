import gymnasium as gym
import numpy as np
from gymnasium import spaces


class HarborTug(gym.Env):
    """A tug has to bring a barge to its berth through the currents of a harbour.

    Actions: 0 coast, 1 ahead, 2 astern, 3 port, 4 starboard.
    """

    metadata = {"render_modes": []}
    THRUST = np.array([[0, 0], [0, 1], [0, -1], [-1, 0], [1, 0]], dtype=np.float64)

    def __init__(self, size=8, chart=3, horizon=60):
        self.size = size
        self.horizon = horizon
        self.observation_space = spaces.Box(-np.inf, np.inf, (6,), np.float32)
        self.action_space = spaces.Discrete(5)
        # the tide is the same for all episodes
        self.current = np.random.default_rng(chart).normal(0.0, 0.15, (size, size, 2))
        self.berth = np.array([size - 1.5, size - 1.5])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pos = self.np_random.uniform(0.5, self.size / 2, 2)
        self.vel = np.zeros(2)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        before = np.linalg.norm(self.berth - self.pos)
        cell = np.clip(self.pos.astype(int), 0, self.size - 1)
        self.vel = 0.8 * self.vel + 0.12 * self.THRUST[action]
        self.pos = np.clip(self.pos + self.vel + self.current[cell[0], cell[1]] * 0.5, 0.0, self.size)
        self.t += 1
        dist = np.linalg.norm(self.berth - self.pos)
        done = bool(dist < 0.6)
        reward = before - dist - 0.02 + 5.0 * done
        return self._obs(), float(reward), done, self.t >= self.horizon, {}

    def _obs(self):
        return np.concatenate([self.pos / self.size, self.vel, (self.berth - self.pos) / self.size]).astype(np.float32)
