"""A chilled-water plant with one compressor and one tower fan, as a gymnasium environment."""
import gymnasium as gym
import numpy as np


class ChillerPlant(gym.Env):
    """State: supply and return temperature, wet-bulb temperature, cooling load (kW / 100)."""

    def __init__(self, horizon=64):
        self.horizon = horizon
        self.observation_space = gym.spaces.Box(-20.0, 80.0, (4,), np.float32)
        self.action_space = gym.spaces.Box(0.0, 1.0, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.tick = 0
        self.supply = 7.0 + self.np_random.normal(0.0, 0.8)
        self.back = 12.5 + self.np_random.normal(0.0, 0.8)
        self.wet_bulb = self.np_random.uniform(14.0, 24.0)
        self.load = self.np_random.uniform(3.0, 8.0)
        return self._state(), {}

    def _state(self):
        return np.array([self.supply, self.back, self.wet_bulb, self.load], dtype=np.float32)

    def step(self, action):
        compressor, fan = float(action[0]), float(action[1])
        lift = max(self.wet_bulb + 6.0 * (1.0 - fan) - self.supply, 1.0)
        cooling = 11.0 * compressor * (1.2 - 0.02 * lift)
        self.supply += 0.25 * (self.back - self.supply) * 0.4 - 0.11 * cooling
        self.back += 0.25 * (self.supply + 0.9 * self.load - self.back)
        self.supply = float(np.clip(self.supply, 2.0, 30.0))
        self.wet_bulb += 0.3 * self.np_random.normal()
        self.load = float(np.clip(self.load + 0.25 * self.np_random.normal(), 1.0, 10.0))
        power = 3.1 * compressor * (0.6 + 0.02 * lift) + 0.8 * fan**3
        reward = -power - 0.5 * abs(self.supply - 7.0)
        self.tick += 1
        return self._state(), reward, False, self.tick >= self.horizon, {"power": power}
