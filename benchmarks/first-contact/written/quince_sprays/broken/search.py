"""Bayesian search over training settings, by expected improvement for each unit of cost."""
import warnings
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

warnings.filterwarnings("ignore")

LOW = np.array([-3.5, 3.0, 0.0])      # log10 of the rate, log2 of the width, dropout
HIGH = np.array([-1.3, 6.5, 0.5])


@dataclass
class Trial:
    point: np.ndarray
    loss: float
    work: int                         # multiply-adds of one pass, times passes
    seconds: float
    state: dict = field(repr=False, default_factory=dict)

    @property
    def settings(self):
        return decode(self.point)


def decode(point):
    value = LOW + np.clip(point, 0, 1) * (HIGH - LOW)
    return {"lr": float(10 ** value[0]), "width": int(round(2 ** value[1])), "dropout": float(value[2])}


def surface(points, values, seed):
    kernel = ConstantKernel(1.0) * Matern(np.full(len(LOW), 0.4), (0.05, 5.0), nu=2.5) + WhiteKernel(1e-3)
    model = GaussianProcessRegressor(kernel, normalize_y=True, random_state=seed)
    return model.fit(points, values)


class Search:
    def __init__(self, seed, start=5):
        self.rng = np.random.default_rng(seed)
        self.seed = seed
        self.start = self.rng.uniform(size=(start, len(LOW)))
        self.trials = []

    def ask(self):
        if len(self.trials) < len(self.start):
            return self.start[len(self.trials)]
        points = np.stack([t.point for t in self.trials])
        losses = surface(points, np.log([t.loss for t in self.trials]), self.seed)
        costs = surface(points, np.log([t.seconds for t in self.trials]), self.seed)
        best = np.log(min(t.loss for t in self.trials))

        def utility(x):
            x = np.atleast_2d(x)
            mean, std = losses.predict(x, return_std=True)
            z = (best - mean) / np.maximum(std, 1e-9)
            gain = (best - mean) * norm.cdf(z) + std * norm.pdf(z)
            return np.log(np.maximum(gain, 1e-12)) - costs.predict(x)

        candidates = self.rng.uniform(size=(256, len(LOW)))
        first = candidates[np.argmax(utility(candidates))]
        found = minimize(lambda x: -utility(x)[0], first, method="L-BFGS-B",
                         bounds=[(0.0, 1.0)] * len(LOW), options={"maxiter": 8})
        return np.clip(found.x, 0.0, 1.0)

    def tell(self, trial):
        self.trials.append(trial)

    def ranking(self):
        return sorted(self.trials, key=lambda t: t.loss)
