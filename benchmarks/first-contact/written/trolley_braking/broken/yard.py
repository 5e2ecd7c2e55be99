"""A mine trolley on a slope that must stop at a buffer."""
import gymnasium as gym
import numpy as np


class TrolleyEnv(gym.Env):
    observation_space = gym.spaces.Box(-10, 10, (4,), np.float32)
    action_space = gym.spaces.Discrete(4)

    def __init__(self, limit: int = 60):
        self.limit = limit

    def _observe(self):
        return np.array([self.left / 40, self.speed / 6, self.slope * 10, self.wet], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = self.np_random.uniform(25, 40)
        self.speed = self.np_random.uniform(2, 5)
        self.slope = self.np_random.uniform(-0.03, 0.08)
        self.wet = float(self.np_random.random() < 0.3)
        self.time = 0
        return self._observe(), {}

    def step(self, action):
        grip = (0.6 if self.wet else 1.0) * (1 + 0.1 * self.np_random.normal())
        self.speed += 0.3 * (9.81 * self.slope - 0.1 - 0.6 * action * grip)
        self.speed = max(self.speed, 0.0)
        self.left -= 0.3 * self.speed
        self.time += 1
        crash = self.left <= 0
        halted = self.speed == 0.0
        reward = -0.02
        if crash:
            reward -= 1 + self.speed
        elif halted:
            reward += 2 - 0.1 * self.left
        return self._observe(), reward, bool(crash or halted), self.time >= self.limit, {}
