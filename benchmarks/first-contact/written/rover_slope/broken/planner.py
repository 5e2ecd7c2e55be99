import time

import numpy as np


class CEMPlanner:
    """Cross-entropy method over open-loop action sequences, warm-started by the last plan."""

    def __init__(self, terrain, rng, horizon=10, samples=24, elites=5, budget=0.02):
        self.terrain = terrain
        self.rng = rng
        self.horizon = horizon
        self.samples = samples
        self.elites = elites
        self.budget = budget
        self.plan_times = []
        self.reset()

    def reset(self):
        self.mean = np.tile([0.7, 0.0], (self.horizon, 1))

    def cost(self, state, goal, actions):
        s = np.broadcast_to(state, (len(actions), 3))
        total = np.zeros(len(actions))
        for t in range(self.horizon):
            s = self.terrain.step(s, actions[:, t])
            total += np.linalg.norm(s[:, :2] - goal, axis=1)
            total += 0.02 * actions[:, t, 0] ** 2 + 0.05 * np.linalg.norm(self.terrain.gradient(s[:, :2]), axis=1)
        return total

    def act(self, state, goal):
        started = time.perf_counter()
        mean, std = self.mean, np.tile([0.3, 0.5], (self.horizon, 1))
        while time.perf_counter() - started < self.budget:
            actions = mean + std * self.rng.standard_normal((self.samples, self.horizon, 2))
            actions[..., 0] = actions[..., 0].clip(0, 1)
            actions[..., 1] = actions[..., 1].clip(-1, 1)
            best = actions[np.argsort(self.cost(state, goal, actions), kind="stable")[: self.elites]]
            mean, std = best.mean(0), best.std(0) + 0.02
        self.plan_times.append(time.perf_counter() - started)
        self.mean = np.concatenate([mean[1:], mean[-1:]])
        return mean[0]
