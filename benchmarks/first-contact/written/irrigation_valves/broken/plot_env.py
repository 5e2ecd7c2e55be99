"""One plot of tomatoes: soil water, forecast and crop stage; each day the valve opens for 0 to 3 hours."""
import gymnasium as gym
import numpy as np
from gymnasium import spaces


class PlotEnv(gym.Env):
    metadata = {"render_modes": []}
    HOURS = (0.0, 1.0, 2.0, 3.0)

    def __init__(self, capacity=1.0, wilting=0.25):
        self.capacity, self.wilting = capacity, wilting
        self.observation_space = spaces.Box(-1.0, 3.0, shape=(5,), dtype=np.float32)
        self.action_space = spaces.Discrete(len(self.HOURS))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.day = 0
        self.water = float(self.np_random.uniform(0.4, 0.7))
        self.heat = float(self.np_random.normal(0.5, 0.1))
        self._draw_rain()
        return self._observe(), {}

    def _draw_rain(self):
        self.rain = float(self.np_random.gamma(1.2, 0.15)) if self.np_random.random() < 0.2 else 0.0
        self.forecast = float(np.clip(self.rain + self.np_random.normal(0, 0.05), 0, 1))

    def _observe(self):
        stage = self.day / 60
        return np.array([self.water, self.heat, self.forecast, np.sin(np.pi * stage), stage], dtype=np.float32)

    def step(self, action):
        hours = self.HOURS[int(action)]
        need = 0.05 + 0.12 * np.sin(np.pi * self.day / 60) * max(self.heat, 0)
        self.water = self.water + 0.08 * hours + self.rain - need
        drained = max(0.0, self.water - self.capacity)
        self.water = float(np.clip(self.water, 0, self.capacity))
        stress = max(0.0, 0.45 - self.water) * 4 + drained * 3
        reward = float(need * 5 - stress - 0.12 * hours)
        self.day += 1
        self.heat = float(0.8 * self.heat + 0.1 + self.np_random.normal(0, 0.08))
        self._draw_rain()
        wilted = self.water < 0.05
        return self._observe(), reward - 5.0 * wilted, wilted, False, {"water": self.water}
