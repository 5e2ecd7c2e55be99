"""Daily ordering of platelet units for a hospital blood bank."""
import gymnasium as gym
import numpy as np
from gymnasium import spaces

SHELF_LIFE = 5
WEEKLY = np.array([9.0, 8.0, 8.0, 9.0, 10.0, 5.0, 4.0])


class PlateletBank(gym.Env):
    metadata = {"render_modes": []}

    def __init__(self, horizon=42, lots=6, lot_size=3):
        self.horizon, self.lot_size = horizon, lot_size
        self.action_space = spaces.Discrete(lots)
        self.observation_space = spaces.Box(0.0, 10.0, (SHELF_LIFE + 7,), np.float32)

    def _observe(self):
        weekday = np.zeros(7, np.float32)
        weekday[self.day % 7] = 1.0
        return np.concatenate([self.stock.astype(np.float32) / 10.0, weekday])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.day = int(self.np_random.integers(0, 7))
        self.left = self.horizon
        self.stock = self.np_random.integers(0, 5, SHELF_LIFE)
        return self._observe(), {}

    def step(self, action):
        units = int(action) * self.lot_size
        self.stock[-1] += units
        demand = int(self.np_random.poisson(WEEKLY[self.day % 7]))
        need = demand
        for age in range(SHELF_LIFE):
            used = min(need, self.stock[age])
            self.stock[age] -= used
            need -= used
        expired = int(self.stock[0])
        self.stock[:-1] = self.stock[1:]
        self.stock[-1] = 0
        reward = -(1.0 * expired + 4.0 * need + 0.05 * self.stock.sum()) / 10.0
        self.day += 1
        self.left -= 1
        return self._observe(), float(reward), False, self.left <= 0, {"expired": expired, "short": int(need)}
