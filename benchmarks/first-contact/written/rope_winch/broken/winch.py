"""A winch that lowers a swinging load onto a deck."""
import gymnasium
import numpy as np
from gymnasium import spaces


class WinchEnv(gymnasium.Env):
    """Actions: haul, hold, pay out, pay out quickly."""

    SPEEDS = (-0.4, 0.0, 0.4, 1.0)

    def __init__(self, depth=6.0, limit=80):
        self.action_space = spaces.Discrete(len(self.SPEEDS))
        self.observation_space = spaces.Box(-20.0, 20.0, shape=(4,), dtype=np.float32)
        self.depth = depth
        self.limit = limit

    def _observe(self):
        return np.array([self.length / self.depth, self.speed, self.angle, self.swing], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.length, self.speed, self.ticks = 1.0, 0.0, 0
        self.angle = self.np_random.uniform(-0.3, 0.3)
        self.swing = self.np_random.normal(0, 0.1)
        return self._observe(), {}

    def step(self, action):
        dt = 0.1
        self.speed += 0.3 * (self.SPEEDS[action] - self.speed)
        self.length = max(0.5, self.length + dt * self.speed)
        gust = self.np_random.normal(0, 0.05)
        pull = -9.81 / self.length * np.sin(self.angle) - 2 * self.speed * self.swing / self.length
        self.swing += dt * (pull - 0.2 * self.swing + gust)
        self.angle = float(np.clip(self.angle + dt * self.swing, -1.5, 1.5))
        self.ticks += 1
        landed = self.length >= self.depth
        reward = 0.2 * self.speed - abs(self.angle)
        if landed:
            reward += 10 - 8 * abs(self.speed) - 10 * abs(self.angle)
        return self._observe(), float(reward), landed, self.ticks >= self.limit, {}
