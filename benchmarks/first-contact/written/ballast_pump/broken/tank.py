"""A ship heels as cargo is moved; pumps shift ballast between two tanks to keep it upright."""
import gymnasium as gym
import numpy as np
from gymnasium import spaces

FLOW = np.array([-0.08, -0.02, 0.0, 0.02, 0.08], dtype=np.float32)


class BallastEnv(gym.Env):
    def __init__(self, length=40):
        self.length = length
        self.observation_space = spaces.Box(-4, 4, (4,), np.float32)
        self.action_space = spaces.Discrete(len(FLOW))

    def _observe(self):
        return np.array([self.heel, self.rate, self.ballast, self.t / self.length], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.heel, self.rate = self.np_random.normal(0, 0.2), 0.0
        self.ballast, self.t = 0.0, 0
        self.cargo = self.np_random.normal(0, 0.3)
        return self._observe(), {}

    def step(self, action):
        flow = float(FLOW[action])
        self.ballast = float(np.clip(self.ballast + flow, -1, 1))
        if self.np_random.random() < 0.08:
            self.cargo += self.np_random.normal(0, 0.2)
        pull = 0.4 * (self.cargo + self.ballast) - 0.5 * self.heel - 0.4 * self.rate
        self.rate += 0.3 * pull + self.np_random.normal(0, 0.01)
        self.heel = float(np.clip(self.heel + 0.3 * self.rate, -3, 3))
        self.t += 1
        reward = -self.heel**2 - 0.5 * abs(flow)
        return self._observe(), reward, False, self.t >= self.length, {}
