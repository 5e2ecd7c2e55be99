"""A robot mower on a lawn: the environment and its wrappers."""
import gymnasium as gym
import numpy as np
from gymnasium import spaces

MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))


class LawnEnv(gym.Env):
    """The mower slips on wet grass; rocks lie elsewhere in each episode."""

    metadata = {"render_modes": []}

    def __init__(self, size=6, rocks=4, slip=0.1):
        self.size, self.rocks, self.slip = size, rocks, slip
        self.action_space = spaces.Discrete(len(MOVES))
        self.observation_space = spaces.Box(0.0, 1.0, (3, size, size), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        cells = self.np_random.choice(self.size ** 2, self.rocks + 1, replace=False)
        self.grass = np.ones((self.size, self.size), np.float32)
        self.stones = np.zeros_like(self.grass)
        self.stones.flat[cells[1:]] = 1
        self.grass[self.stones > 0] = 0
        self.place = divmod(int(cells[0]), self.size)
        self.grass[self.place] = 0
        return self._observe(), {"grass": float(self.grass.sum())}

    def _observe(self):
        here = np.zeros_like(self.grass)
        here[self.place] = 1
        return np.stack([self.grass, self.stones, here])

    def step(self, action):
        if self.np_random.random() < self.slip:
            action = self.np_random.integers(len(MOVES))
        row, column = (a + b for a, b in zip(self.place, MOVES[action]))
        reward = -0.02
        if not (0 <= row < self.size and 0 <= column < self.size) or self.stones[row, column]:
            reward -= 0.1
        else:
            self.place = (row, column)
            reward += float(self.grass[row, column]) * 0.2
            self.grass[row, column] = 0
        return self._observe(), reward, not self.grass.any(), False, {}


class Battery(gym.Wrapper):
    """Ends the episode when the battery is flat; turning costs more than driving on."""

    def __init__(self, env, charge=40.0):
        super().__init__(env)
        self.capacity = charge

    def reset(self, *, seed=None, options=None):
        observation, info = self.env.reset(options=options)
        self.charge = self.capacity
        self.heading = None
        return observation, {**info, "charge": self.charge}

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.charge -= 1.0 if action == self.heading else 1.3
        self.heading = action
        info["charge"] = self.charge
        return observation, reward, terminated, truncated or self.charge <= 0, info


class Totals(gym.Wrapper):
    """Sums up reward and length of every episode."""

    def reset(self, **kwargs):
        self.total, self.length = 0.0, 0
        return self.env.reset(**kwargs)

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.total += reward
        self.length += 1
        if terminated or truncated:
            info["episode"] = {"r": self.total, "l": self.length}
        return observation, reward, terminated, truncated, info


def make_lawn(size=6):
    return Totals(Battery(LawnEnv(size)))
