"""Cooling of a fermentation tank: hold the temperature while the yeast heats it."""
import gymnasium as gym
import numpy as np
from gymnasium import spaces


class FermentTank(gym.Env):
    """Observation: temperature, sugar left, ambient, hour. Actions: valve shut, half, open."""

    def __init__(self, hours=60, target=20.0):
        self.hours = hours
        self.target = target
        self.observation_space = spaces.Box(-5.0, 5.0, (4,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        raw = [(self.temp - self.target) / 3.0, self.sugar * 2.0 - 1.0,
               (self.ambient - 18.0) / 5.0, self.hour / self.hours]
        return np.clip(np.array(raw, dtype=np.float32), -5.0, 5.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.temp = self.target + self.np_random.normal(0.0, 1.5)
        self.sugar = self.np_random.uniform(0.8, 1.0)
        self.ambient = self.np_random.normal(18.0, 4.0)
        self.hour = 0
        return self._obs(), {}

    def step(self, action):
        heat = 1.3 * self.sugar * (1.0 - 0.5 * abs(self.temp - 21.0) / 6.0)
        cooling = (0.0, 0.7, 1.5)[int(action)]
        self.temp += heat - cooling + 0.05 * (self.ambient - self.temp)
        self.temp += self.np_random.normal(0.0, 0.15)
        self.sugar = max(0.0, self.sugar - 0.012 * max(heat, 0.0))
        self.ambient += self.np_random.normal(0.0, 0.3)
        self.hour += 1
        off = abs(self.temp - self.target)
        reward = 1.0 - off - 0.05 * int(action)
        spoiled = off > 7.0
        return self._obs(), float(reward), spoiled, self.hour >= self.hours, {}


gym.register(id="FermentTank-v0", entry_point=FermentTank)
