"""A toy hydrofoil: hold the ride height above choppy water with the flap."""
import numpy as np

ACTIONS = np.array([-1.0, 0.0, 1.0])
STATE = 4


class Hydrofoil:
    def __init__(self, rng):
        self.rng = rng
        self.reset()

    def reset(self):
        self.height, self.rate, self.flap = self.rng.uniform(-0.3, 0.3), 0.0, 0.0
        self.swell, self.t = self.rng.uniform(0.05, 0.2), 0
        return self.observe()

    def observe(self):
        return np.array([self.height, self.rate, self.flap, self.swell], dtype=np.float32)

    def step(self, action):
        self.flap = float(np.clip(self.flap + 0.25 * ACTIONS[action], -1, 1))
        wave = self.swell * np.sin(0.7 * self.t) + self.rng.normal(0, 0.02)
        self.rate += 0.1 * (self.flap - 0.4 * self.rate + wave)
        self.height += 0.1 * self.rate
        self.t += 1
        crashed = abs(self.height) > 1.0
        reward = -5.0 if crashed else 1.0 - 2.0 * self.height ** 2 - 0.05 * self.flap ** 2
        return self.observe(), reward, crashed or self.t >= 120, crashed
