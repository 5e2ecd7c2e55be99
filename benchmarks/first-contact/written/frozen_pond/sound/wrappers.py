"""Wrappers around the gymnasium environment."""
import gymnasium as gym
import numpy as np


class OneHot(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.n = env.observation_space.n
        self.observation_space = gym.spaces.Box(0.0, 1.0, (self.n,), np.float32)

    def observation(self, observation):
        out = np.zeros(self.n, dtype=np.float32)
        out[observation] = 1.0
        return out


class WetMittens(gym.Wrapper):
    """Now and then the hand slips on the stick and any move is made."""

    def __init__(self, env, slip=0.15):
        super().__init__(env)
        self.slip = slip
        self.slips = 0

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.action_space.seed(seed)
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        if self.unwrapped.np_random.random() < self.slip:
            action = int(self.action_space.sample())
            self.slips += 1
        return self.env.step(action)


class StepCost(gym.RewardWrapper):
    def __init__(self, env, cost=0.01):
        super().__init__(env)
        self.cost = cost

    def reward(self, reward):
        return float(reward) - self.cost


def make_pond(slip):
    env = gym.make("FrozenLake-v1", map_name="4x4", is_slippery=False, max_episode_steps=40)
    return StepCost(OneHot(WetMittens(env, slip)))
