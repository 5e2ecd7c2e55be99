import numpy as np


class Building:
    """One lift, Poisson arrivals, a lunch-time surge to the ground floor.

    Actions: 0 down, 1 stop and open, 2 up.
    """

    ACTIONS = 3

    def __init__(self, cfg, rng):
        self.cfg = cfg
        self.rng = rng
        self.size = 3 * cfg.floors + 2

    def reset(self):
        self.t = 0
        self.at = int(self.rng.integers(self.cfg.floors))
        self.waiting = [[] for _ in range(self.cfg.floors)]
        self.inside = []
        return self.observe()

    def observe(self):
        cfg = self.cfg
        obs = np.zeros(self.size, dtype=np.float32)
        obs[self.at] = 1.0
        for floor, people in enumerate(self.waiting):
            obs[cfg.floors + floor] = len(people) / 4.0
        for goal in self.inside:
            obs[2 * cfg.floors + goal] += 0.5
        obs[-2] = len(self.inside) / cfg.capacity
        obs[-1] = self.t / cfg.horizon
        return obs

    def arrivals(self):
        surge = 0.5 if 0.4 < self.t / self.cfg.horizon < 0.6 else 0.25
        for _ in range(self.rng.poisson(surge)):
            start = int(self.rng.integers(self.cfg.floors))
            goal = 0 if start else int(self.rng.integers(1, self.cfg.floors))
            self.waiting[start].append(goal)

    def step(self, action):
        reward = 0.0
        if action == 1:
            delivered = sum(goal == self.at for goal in self.inside)
            self.inside = [goal for goal in self.inside if goal != self.at]
            room = self.cfg.capacity - len(self.inside)
            boarding = self.waiting[self.at][:room]
            self.waiting[self.at] = self.waiting[self.at][room:]
            self.inside += boarding
            reward += 1.0 * delivered + 0.2 * len(boarding)
        else:
            self.at = min(max(self.at + (action - 1), 0), self.cfg.floors - 1)
        reward -= 0.01 * sum(len(w) for w in self.waiting)
        self.arrivals()
        self.t += 1
        return self.observe(), reward, self.t >= self.cfg.horizon
