"""A slippery grid world with the usual reset/step interface."""
import numpy as np

MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))


class SlipperyGrid:
    n_actions = len(MOVES)

    def __init__(self, size=5, slip=0.15, max_steps=25):
        self.size, self.slip, self.max_steps = size, slip, max_steps
        self.n_obs = 2 * size * 2

    def reset(self, seed=None):
        self.rng = np.random.default_rng(seed)
        cells = [(r, c) for r in range(self.size) for c in range(self.size)]
        a, b = self.rng.choice(len(cells), size=2, replace=False)
        self.agent, self.goal = cells[a], cells[b]
        self.t = 0
        return self._obs()

    def step(self, action):
        if self.rng.random() < self.slip:
            action = int(self.rng.integers(self.n_actions))
        dr, dc = MOVES[action]
        r = min(max(self.agent[0] + dr, 0), self.size - 1)
        c = min(max(self.agent[1] + dc, 0), self.size - 1)
        self.agent = (r, c)
        self.t += 1
        found = self.agent == self.goal
        reward = 1.0 if found else -0.04
        return self._obs(), reward, found or self.t >= self.max_steps

    def _obs(self):
        obs = np.zeros(self.n_obs, dtype=np.float32)
        for k, pos in enumerate((self.agent, self.goal)):
            base = k * 2 * self.size
            obs[base + pos[0]] = 1
            obs[base + self.size + pos[1]] = 1
        return obs
