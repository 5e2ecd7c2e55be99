"""The space-filling design and its evaluation on all cores."""
import numpy as np
from joblib import Parallel, delayed
from scipy.stats import qmc
from sklearn.utils import check_random_state
from tqdm import tqdm

from outbreak import run_outbreak

PARAMETERS = {
    "transmission": (0.15, 0.6),
    "incubation_days": (2.0, 7.0),
    "infectious_days": (3.0, 10.0),
    "initial_cases": (3.0, 30.0),
    "isolated_share": (0.0, 0.5),
}


def draw_design(points, seed):
    sampler = qmc.LatinHypercube(d=len(PARAMETERS), rng=np.random.default_rng(seed))
    low, high = zip(*PARAMETERS.values())
    return qmc.scale(sampler.random(points), low, high)


def run_design(design, replicates, workers):
    """Mean response of the replicates at each design point, in the order of the design."""
    seeds = check_random_state(None).randint(2**31 - 1, size=len(design))
    results = Parallel(n_jobs=workers, batch_size=16, return_as="generator")(
        delayed(run_outbreak)(theta, replicates, random_state=int(seed)) for theta, seed in zip(design, seeds)
    )
    return np.stack(list(tqdm(results, total=len(design), desc="outbreaks", mininterval=0.5)))
