"""A two-chamber canal lock: boats arrive on both sides, every lockage costs water."""
import gymnasium as gym
import numpy as np
from gymnasium import spaces

UP, DOWN, WAIT = 0, 1, 2


class CanalLock(gym.Env):
    metadata = {"render_modes": []}

    def __init__(self, day_length: int = 80, capacity: int = 3, reservoir: float = 40.0):
        self.day_length = day_length
        self.capacity = capacity
        self.reservoir = reservoir
        self.observation_space = spaces.Box(-1.0, 2.0, shape=(7,), dtype=np.float32)
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.clock = 0
        self.level = self.np_random.integers(0, 2)  # chamber at the lower or upper level
        self.water = self.reservoir * self.np_random.uniform(0.8, 1.0)
        self.below = int(self.np_random.integers(0, 4))
        self.above = int(self.np_random.integers(0, 4))
        self.rush = self.np_random.uniform(0.2, 0.8)  # when the hire boats come
        self.passed = 0
        return self._observe(), {}

    def _observe(self):
        phase = self.clock / self.day_length
        return np.array(
            [
                self.below / 8,
                self.above / 8,
                self.level,
                self.water / self.reservoir,
                phase,
                np.sin(2 * np.pi * phase),
                self._rate(phase),
            ],
            dtype=np.float32,
        )

    def _rate(self, phase: float) -> float:
        return 0.35 + 0.5 * np.exp(-(((phase - self.rush) / 0.12) ** 2))

    def step(self, action):
        reward = -0.05 * (self.below + self.above)
        if action != WAIT and self.water > 0:
            target = 1 if action == UP else 0
            if self.level == target:  # the chamber must first be turned round empty
                self.water -= 0.5
            waiting = self.below if action == UP else self.above
            load = min(waiting, self.capacity)
            if action == UP:
                self.below -= load
            else:
                self.above -= load
            self.passed += load
            self.water -= 0.8
            self.level = target
            reward += 0.6 * load - 0.25
        rate = self._rate(self.clock / self.day_length)
        self.below = min(self.below + int(self.np_random.poisson(rate)), 12)
        self.above = min(self.above + int(self.np_random.poisson(0.8 * rate)), 12)
        self.water = min(self.water + 0.35, self.reservoir)
        self.clock += 1
        done = self.clock >= self.day_length
        return self._observe(), float(reward), False, done, {"passed": self.passed}
