"""A one-leg iceboat race against gusting wind, as a gymnasium environment."""
import math

import gymnasium as gym
import numpy as np
from gymnasium import spaces

SHEET = (-0.12, 0.0, 0.12)


class IceboatEnv(gym.Env):
    metadata = {"render_modes": []}

    def __init__(self, leg=180.0, roughness=0.35):
        self.leg = leg
        self.roughness = roughness
        self.action_space = spaces.Discrete(len(SHEET))
        self.observation_space = spaces.Box(-10.0, 10.0, shape=(6,), dtype=np.float32)

    def _observe(self):
        return np.array(
            [
                self.wind / 10.0,
                math.sin(self.angle),
                math.cos(self.angle),
                self.speed / 10.0,
                self.sheet,
                (self.leg - self.position) / self.leg,
            ],
            dtype=np.float32,
        ).clip(-10.0, 10.0)

    def reset(self, *, seed=None, options=None):
        super().reset(options=options)
        self.position = 0.0
        self.speed = 1.0
        self.sheet = 0.5
        self.wind = float(self.np_random.uniform(4.0, 9.0))
        self.angle = float(self.np_random.uniform(0.6, 1.4))
        self.bumps = self.np_random.normal(0.0, self.roughness, size=64)
        return self._observe(), {}

    def step(self, action):
        self.sheet = min(1.0, max(0.0, self.sheet + SHEET[int(action)]))
        self.wind += 0.1 * (6.5 - self.wind) + float(self.np_random.normal(0.0, 0.5))
        self.angle += float(self.np_random.normal(0.0, 0.04))
        best = 0.5 + 0.4 * math.cos(self.angle)
        drive = max(self.wind, 0.0) * (1.0 - 2.5 * (self.sheet - best) ** 2)
        drag = 0.55 * self.speed + self.bumps[int(self.position) % 64]
        self.speed = max(0.0, self.speed + 0.2 * (drive - drag))
        self.position += 0.5 * self.speed
        done = self.position >= self.leg
        heel = self.wind * self.sheet > 8.0
        reward = 0.1 * self.speed - (1.0 if heel else 0.0) + (5.0 if done else 0.0)
        return self._observe(), float(reward), bool(done), False, {"speed": self.speed}
