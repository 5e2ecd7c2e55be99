"""A chain-binomial SEIR outbreak in a town."""
import numpy as np
from scipy.special import expit, logit
from sklearn.utils import check_random_state

POPULATION = 5000
DAYS = 160
OUTPUTS = ("peak_share", "peak_day", "final_share")


def one_outbreak(theta, rng):
    transmission, incubation, infectious, initial, isolated = theta
    s, e, i = POPULATION - int(initial), int(initial), 0
    peak, peak_day = 0, 0
    for day in range(DAYS):
        force = 1 - np.exp(-transmission * (1 - isolated) * i / POPULATION)
        new_e = rng.binomial(s, force)
        new_i = rng.binomial(e, 1 - np.exp(-1 / incubation))
        gone = rng.binomial(i, 1 - np.exp(-1 / infectious))
        s, e, i = s - new_e, e + new_e - new_i, i + new_i - gone
        if i > peak:
            peak, peak_day = i, day
        if e + i == 0:
            break
    return peak / POPULATION, peak_day, 1 - s / POPULATION


def run_outbreak(theta, replicates, random_state=None):
    rng = check_random_state(random_state)
    runs = np.array([one_outbreak(theta, rng) for _ in range(replicates)])
    peak, day, final = runs.mean(axis=0)
    return np.array([logit(np.clip(peak, 1e-4, 1 - 1e-4)), day, expit(4 * final - 2)])
