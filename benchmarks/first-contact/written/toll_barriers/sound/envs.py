"""A toll plaza whose operator opens and closes lanes."""
import gymnasium as gym
import numpy as np
from gymnasium import spaces

LANES = 6


class TollPlaza(gym.Env):
    """Observes queue lengths, the open lanes and the time of day; the action is the number of open lanes less one."""

    def __init__(self):
        self.action_space = spaces.Discrete(LANES)
        self.observation_space = spaces.Box(0.0, 10.0, (LANES + 3,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.queues = self.np_random.integers(0, 4, LANES).astype(float)
        self.open = 3
        self.minute = int(self.np_random.integers(0, 240))
        return self.observe(), {}

    def observe(self):
        phase = 2 * np.pi * self.minute / 240
        tail = [self.open / LANES, np.sin(phase) + 1, np.cos(phase) + 1]
        return np.clip(np.concatenate([self.queues / 5, tail]), 0, 10).astype(np.float32)

    def step(self, action):
        switched = abs(int(action) + 1 - self.open)
        self.open = int(action) + 1
        rate = 4.0 + 3.0 * np.sin(2 * np.pi * self.minute / 240)
        for _ in range(self.np_random.poisson(rate)):
            self.queues[np.argmin(self.queues[: self.open])] += 1
        served = self.np_random.binomial(2, 0.7, LANES)
        served[self.open :] = np.minimum(served[self.open :], 1)
        self.queues = np.maximum(self.queues - served, 0)
        self.minute = (self.minute + 1) % 240
        reward = -0.1 * self.queues.sum() - 0.25 * self.open - 0.1 * switched
        return self.observe(), float(reward), False, False, {"waiting": self.queues.sum()}


class LaneSteps(gym.Wrapper):
    """One lane fewer, the same, or one more: crews cannot open several at once."""

    def __init__(self, env):
        super().__init__(env)
        self.action_space = spaces.Discrete(3)

    def step(self, action):
        wanted = np.clip(self.env.unwrapped.open + int(action) - 1, 1, LANES)
        return self.env.step(wanted - 1)


def make_env(seed, horizon=60):
    env = gym.wrappers.TimeLimit(LaneSteps(TollPlaza()), horizon)
    env.action_space.seed(seed)
    env.reset(seed=seed)
    return env
