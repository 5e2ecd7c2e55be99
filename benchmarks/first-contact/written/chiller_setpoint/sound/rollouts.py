"""Exploration of the plant, spread over worker processes."""
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from plant import ChillerPlant


def explore(job):
    seed, episodes = job
    env = ChillerPlant()
    env.action_space.seed(seed)
    states, actions, following, powers = [], [], [], []
    for episode in range(episodes):
        state, _ = env.reset(seed=seed + episode)
        done = False
        while not done:
            action = env.action_space.sample()
            after, _, terminated, truncated, info = env.step(action)
            states.append(state)
            actions.append(action)
            following.append(after)
            powers.append(info["power"])
            state, done = after, terminated or truncated
    return np.stack(states), np.stack(actions), np.stack(following), np.array(powers, np.float32)


def collect(first_seed, plants, episodes, workers):
    jobs = [(first_seed + 1000 * k, episodes) for k in range(plants)]
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        parts = list(pool.map(explore, jobs))
    return [np.concatenate(column) for column in zip(*parts)]
