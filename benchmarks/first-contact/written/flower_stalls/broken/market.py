import gymnasium as gym
import numpy as np
from gymnasium import spaces


class FlowerStall(gym.Env):
    """Each morning a stall orders bunches; unsold ones wilt after three days."""

    metadata = {"render_modes": []}
    ORDERS = (0, 4, 8, 12, 16)

    def __init__(self, days=28, cost=2.0, price=5.0):
        self.days, self.cost, self.price = days, cost, price
        self.observation_space = spaces.Box(-1.0, 5.0, (6,), np.float32)
        self.action_space = spaces.Discrete(len(self.ORDERS))

    def _observe(self):
        week = 2 * np.pi * (self.day % 7) / 7
        return np.array([*(self.stock / 16), np.sin(week), np.cos(week), self.warmth], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.day = 0
        self.stock = np.zeros(3)
        self.warmth = float(self.np_random.uniform(0, 1))
        return self._observe(), {}

    def step(self, action):
        order = self.ORDERS[int(action)]
        self.stock[0] += order
        rate = 6 + 6 * (self.day % 7 >= 5) + 3 * self.warmth
        demand = int(self.np_random.poisson(rate))
        sold = 0
        for age in (2, 1, 0):
            take = min(demand - sold, self.stock[age])
            self.stock[age] -= take
            sold += take
        wilted = self.stock[2]
        self.stock = np.array([0.0, self.stock[0], self.stock[1]])
        self.warmth = float(np.clip(self.warmth + self.np_random.normal(0, 0.15), 0, 1))
        self.day += 1
        reward = self.price * sold - self.cost * order - 0.5 * wilted
        return self._observe(), float(reward) / 10, False, self.day >= self.days, {"wilted": wilted}
