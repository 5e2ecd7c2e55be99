"""Where to run the full model, and what crowds the bridge will see."""
import numpy as np
from scipy import stats
from scipy.stats import qmc

#        walkers per m2, pace in Hz, stiffness and damping factors, share in step
LOWER = [0.05, 1.5, 0.8, 0.5, 0.0]
UPPER = [1.60, 2.4, 1.2, 1.5, 0.6]


def training_design(n):
    """A space-filling design over the whole range of the inputs."""
    sampler = qmc.LatinHypercube(d=len(LOWER))
    return qmc.scale(sampler.random(n), LOWER, UPPER)


def crowd_samples(n):
    """Inputs as they occur in use, within the range of the design."""
    columns = [
        stats.weibull_min.rvs(1.6, scale=0.45, size=n),
        stats.norm.rvs(1.9, 0.17, size=n),
        stats.norm.rvs(1.0, 0.06, size=n),
        stats.lognorm.rvs(0.2, scale=1.0, size=n),
        stats.beta.rvs(2.0, 6.0, size=n),
    ]
    return np.clip(np.stack(columns, axis=1), LOWER, UPPER)
