"""A marble on a tilting board: tip it past the holes into the cup."""
import gymnasium as gym
import numpy as np
from gymnasium import spaces

LAYOUT = (
    "......",
    ".#.o..",
    "...#..",
    "o.....",
    "..#.#.",
    "...o.G",
)
MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))


class MarbleMaze(gym.Env):
    metadata = {"render_modes": []}

    def __init__(self, slip=0.15, friction=0.02):
        self.board = np.array([list(row) for row in LAYOUT])
        self.slip = slip
        self.friction = friction
        self.action_space = spaces.Discrete(len(MOVES))
        self.observation_space = spaces.Box(-1.0, 1.0, (8,), np.float32)
        self.free = np.argwhere(self.board == ".")
        self.goal = np.argwhere(self.board == "G")[0]
        self.cell = self.free[0]

    def _observe(self):
        size = len(self.board)
        around = []
        for dr, dc in MOVES:
            r, c = self.cell + (dr, dc)
            inside = 0 <= r < size and 0 <= c < size
            around.append({".": 0.0, "G": 1.0, "o": -1.0, "#": 0.5}[self.board[r, c]] if inside else 0.5)
        place = self.cell / (size - 1) * 2 - 1
        offset = (self.goal - self.cell) / size
        return np.array([*place, *offset, *around], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        region = self.free
        if options and "near" in options:
            gap = np.abs(self.free - self.goal).sum(axis=1)
            region = self.free[gap <= options["near"]]
        self.cell = region[self.np_random.integers(len(region))].copy()
        return self._observe(), {"start": tuple(int(v) for v in self.cell)}

    def step(self, action):
        if self.np_random.random() < self.slip:
            action = self.np_random.integers(len(MOVES))
        target = self.cell + MOVES[action]
        size = len(self.board)
        if (target >= 0).all() and (target < size).all() and self.board[tuple(target)] != "#":
            self.cell = target
        here = self.board[tuple(self.cell)]
        reward = {"G": 1.0, "o": -1.0, ".": 0.0}[here] - self.friction
        return self._observe(), reward, here in "Go", False, {}
