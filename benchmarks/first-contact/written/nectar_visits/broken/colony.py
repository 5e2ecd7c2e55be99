"""A stochastic simulation of bees that forage on a meadow."""

import numpy as np

BASE_SEED = 4107
N_FLOWERS = 36
N_STEPS = 70

_worker = {}


def start_worker(counter):
    """Pool initializer: give the worker its generator and build what every colony shares."""
    with counter.get_lock():
        number = counter.value
        counter.value += 1
    grid = np.linspace(0.0, 1.0, 6)
    _worker["rng"] = np.random.default_rng([BASE_SEED, number])
    _worker["flowers"] = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)


def simulate(job):
    """Run one colony and return a summary of its season."""
    index, params = job
    n_bees, refill, boldness, memory = params
    n_bees = int(n_bees)
    flowers = _worker["flowers"]
    rng = _worker["rng"]

    nectar = np.ones(N_FLOWERS)
    visits = np.zeros(N_FLOWERS)
    recall = np.full((n_bees, N_FLOWERS), 0.5)
    at = rng.integers(0, N_FLOWERS, size=n_bees)
    harvest = 0.0
    for _ in range(N_STEPS):
        distance = np.linalg.norm(flowers[at][:, None] - flowers[None], axis=-1)
        score = recall - distance / boldness + rng.gumbel(scale=0.3, size=recall.shape)
        at = score.argmax(axis=1)
        crowd = np.bincount(at, minlength=N_FLOWERS)
        taken = np.minimum(nectar, 0.08 * crowd)
        share = np.divide(taken, crowd, out=np.zeros(N_FLOWERS), where=crowd > 0)
        nectar = np.minimum(nectar - taken + refill, 1.0)
        visits += crowd
        harvest += taken.sum()
        rows = np.arange(n_bees)
        recall[rows, at] = memory * recall[rows, at] + (1 - memory) * 12.0 * share[at]

    rate = visits / visits.sum()
    entropy = -(rate * np.log(rate + 1e-9)).sum()
    return np.array([harvest / n_bees, entropy, nectar.mean(), (visits > 0).mean()])
