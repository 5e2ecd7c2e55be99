"""The tanks side by side, exploration, and the final test."""
import gymnasium as gym
import numpy as np
import torch

import tank_env  # noqa: F401  registers FermentTank-v0


def make_tanks(n, seed):
    tanks = gym.make_vec("FermentTank-v0", num_envs=n, vectorization_mode="sync",
                         wrappers=[gym.wrappers.RecordEpisodeStatistics])
    tanks.single_action_space.seed(seed)
    obs, _ = tanks.reset(seed=seed)
    return tanks, obs


class Explorer:
    """Epsilon-greedy, with a coin of its own per tank."""

    def __init__(self, tanks, seed):
        self.tanks = tanks
        self.rng = np.random.default_rng(seed)

    def act(self, net, obs, epsilon):
        with torch.no_grad():
            action = net(torch.from_numpy(obs)).argmax(1).numpy()
        for i in np.flatnonzero(self.rng.random(len(action)) < epsilon):
            action[i] = self.tanks.single_action_space.sample()
        return action


def test(net, episodes, seed):
    env = gym.make("FermentTank-v0")
    total = []
    for k in range(episodes):
        obs, _ = env.reset(seed=seed + k)
        score, over = 0.0, False
        while not over:
            with torch.no_grad():
                action = int(net(torch.from_numpy(obs)[None]).argmax(1))
            obs, reward, spoiled, late, _ = env.step(action)
            score += reward
            over = spoiled or late
        total.append(score)
    env.close()
    return total
