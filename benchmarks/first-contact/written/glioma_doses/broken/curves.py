"""Dose-response curves of cell lines, fitted in worker processes."""
import os

import numpy as np
from scipy.optimize import least_squares

DOSES = np.logspace(-3, 2, 10)
GUESS = np.array([0.0, 1.0, 0.0, 1.0])       # floor, top, log10 of the dose at half effect, slope
_shared = {}


def hill(parameters, dose):
    floor, top, half, slope = parameters
    return floor + (top - floor) / (1.0 + (dose / 10.0 ** half) ** slope)


def measure(lines, drugs, seed):
    rng = np.random.default_rng(seed)
    traits = rng.normal(size=(lines, 6))
    targets = rng.normal(size=(drugs, 6))
    plates = []
    for line in range(lines):
        for drug in range(drugs):
            half = 0.35 * float(traits[line] @ targets[drug]) / 2
            truth = (0.1 * rng.random(), 1.0, np.clip(half, -1.8, 1.5), rng.uniform(0.7, 2.0))
            plates.append((line, drug, hill(truth, DOSES) + rng.normal(0, 0.03, len(DOSES))))
    return traits, targets, plates


def open_worker(weights):
    _shared["weights"] = weights
    _shared["fits"] = 0
    _shared["start"] = GUESS


def fit(plate):
    line, drug, response = plate
    start = _shared["start"]
    weights = _shared["weights"]
    found = least_squares(lambda p: weights * (hill(p, DOSES) - response), start,
                          bounds=([-0.3, 0.5, -3.0, 0.3], [0.5, 1.5, 2.0, 4.0]), loss="soft_l1", f_scale=0.1)
    _shared["fits"] += 1
    _shared["start"] = np.clip(found.x, [-0.2, 0.6, -2.5, 0.4], [0.4, 1.4, 1.8, 3.0])
    return line, drug, found.x, found.cost, os.getpid(), _shared["fits"]
