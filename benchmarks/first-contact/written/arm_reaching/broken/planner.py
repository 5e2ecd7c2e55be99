"""Cross-entropy planning; each goal is planned for in a process of the pool."""
import os
from dataclasses import dataclass

import numpy as np

from arm import DOF, HORIZON, Arm, observe

SAMPLES, ELITES = 10, 3


@dataclass
class Episode:
    index: int
    cost: float
    observations: np.ndarray
    actions: np.ndarray
    worker: int


def rollout(actions, goal):
    arm, cost = Arm(), 0.0
    for a in actions:
        arm.step(a)
        cost += float(np.sum((arm.tip() - goal) ** 2)) + 0.002 * float(np.sum(a ** 2))
    return cost


def plan(task):
    index, goal, seed = task
    rng = np.random.default_rng([seed, index])
    mean, spread = np.zeros((HORIZON, DOF)), np.full((HORIZON, DOF), 0.7)
    best = np.inf
    for iteration in range(8):
        drawn = mean + spread * rng.standard_normal((SAMPLES, HORIZON, DOF))
        costs = np.array([rollout(d, goal) for d in drawn])
        elite = drawn[np.argsort(costs, kind="stable")[:ELITES]]
        mean, spread = elite.mean(0), elite.std(0) + 0.05
        # far goals take more iterations than near ones
        if iteration >= 3 and best - costs.min() < 0.02:
            break
        best = min(best, costs.min())
    arm, seen = Arm(), []
    for a in mean:
        seen.append(observe(arm, goal))
        arm.step(a)
    return Episode(index, rollout(mean, goal), np.stack(seen), mean.astype(np.float32), os.getpid())


def plan_all(pool, goals, seed):
    tasks = [(i, goal, seed) for i, goal in enumerate(goals)]
    done = []
    for episode in pool.imap_unordered(plan, tasks):
        done.append(episode)
    return done
