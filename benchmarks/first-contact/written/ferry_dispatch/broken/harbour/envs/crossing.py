"""A ferry between two shores. At each tick: wait, load, or cast off."""
import numpy as np

from .base import Env

WAIT, LOAD, CAST_OFF = range(3)


class Crossing(Env):
    observation_size = 6
    n_actions = 3

    def __init__(self, capacity=8, trip_limit=30, mean_cars=(1.4, 0.9), crossing_ticks=3):
        super().__init__()
        self.capacity = capacity
        self.trip_limit = trip_limit
        self.mean_cars = mean_cars
        self.crossing_ticks = crossing_ticks

    def reset(self, *, seed=None):
        super().reset(seed=seed)
        self.queue = [3, 2]
        self.side = 0
        self.aboard = 0
        self.under_way = 0
        self.tick = 0
        return self._observe()

    def _observe(self):
        return np.array([
            self.queue[0] / 10.0,
            self.queue[1] / 10.0,
            float(self.side),
            self.aboard / self.capacity,
            self.under_way / self.crossing_ticks,
            self.tick / self.trip_limit,
        ], dtype=np.float32)

    def step(self, action):
        self.tick += 1
        for shore in (0, 1):
            self.queue[shore] += int(self.rng.poisson(self.mean_cars[shore]))
        reward = -0.02 * sum(self.queue)
        if self.under_way:
            self.under_way -= 1
            if self.under_way == 0:
                reward += 0.15 * self.aboard
                self.aboard = 0
                self.side = 1 - self.side
        elif action == LOAD:
            moved = min(3, self.capacity - self.aboard, self.queue[self.side])
            self.queue[self.side] -= moved
            self.aboard += moved
            if moved == 0:
                reward -= 0.1
        elif action == CAST_OFF:
            self.under_way = self.crossing_ticks
            reward -= 0.2
        done = self.tick >= self.trip_limit
        return self._observe(), reward, done
