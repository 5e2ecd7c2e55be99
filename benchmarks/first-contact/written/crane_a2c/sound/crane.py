"""An overhead crane that should bring a swinging load to a target."""

import math

import numpy as np


class CraneEnv:
    """State: trolley offset, speed, swing angle, angular speed, rope length."""

    observation_size = 5
    actions = (-1.0, -0.4, 0.0, 0.4, 1.0)

    def __init__(self, horizon=60, dt=0.08):
        self.horizon = horizon
        self.dt = dt
        self.rng = np.random.default_rng()

    def reset(self, seed=None):
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.time = 0
        self.state = np.array([self.rng.uniform(-3, 3), 0.0, self.rng.normal(0, 0.08), 0.0])
        self.rope = self.rng.uniform(1.5, 4.0)
        return self._observe(), {"rope": self.rope}

    def step(self, action):
        x, v, angle, rate = self.state
        push = 2.0 * self.actions[action]
        gust = self.rng.normal(0, 0.05)
        acceleration = push - 0.3 * v
        v += self.dt * acceleration
        x += self.dt * v
        swing = -(9.81 * math.sin(angle) + acceleration * math.cos(angle)) / self.rope - 0.1 * rate + gust
        rate += self.dt * swing
        angle += self.dt * rate
        self.state = np.array([x, v, angle, rate])
        self.time += 1
        reward = -0.1 * abs(x) - 0.5 * abs(angle) - 0.02 * abs(v)
        failed = abs(x) > 5 or abs(angle) > 1.0
        return self._observe(), reward - 4.0 * failed, failed, self.time >= self.horizon, {}

    def _observe(self):
        return np.append(self.state, self.rope / 4).astype(np.float32)
