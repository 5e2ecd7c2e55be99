"""A farm of paddocks between which one flock is moved, as a gymnasium environment."""

import gymnasium
import numpy as np
from gymnasium import spaces


class Paddocks(gymnasium.Env):
    """Grass grows with the weather; the flock eats where it stands. Moving it costs a little."""

    metadata = {"render_modes": []}

    def __init__(self, paddocks=4, days=40, dry_spell=0.15):
        self.paddocks = paddocks
        self.days = days
        self.dry_spell = dry_spell
        self.action_space = spaces.Discrete(paddocks)
        self.observation_space = spaces.Box(0.0, 4.0, (2 * paddocks + 1,), np.float32)

    def _observe(self):
        where = np.eye(self.paddocks)[self.place]
        return np.concatenate([self.grass, where, [self.rain]]).clip(0, 4).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed, options=options)
        options = options or {}
        self.day = 0
        self.place = int(options.get("place", 0))
        self.rain = 1.0
        self.grass = self.np_random.uniform(0.4, 1.2, self.paddocks)
        self.soil = self.np_random.uniform(0.7, 1.3, self.paddocks)
        return self._observe(), {}

    def step(self, action):
        moved = int(action) != self.place
        self.place = int(action)
        if self.np_random.random() < self.dry_spell:
            self.rain = 0.2
        self.rain += 0.3 * (1.0 - self.rain)
        growth = 0.16 * self.soil * self.rain * self.grass * (1 - self.grass / 2.2)
        self.grass = self.grass + growth + 0.01 * self.np_random.random(self.paddocks)
        eaten = min(0.35, 0.6 * self.grass[self.place])
        self.grass[self.place] -= eaten
        self.day += 1
        reward = 4 * eaten - 0.15 * moved - (0.5 if self.grass[self.place] < 0.15 else 0.0)
        return self._observe(), float(reward), False, self.day >= self.days, {"rain": self.rain}
