"""Invented appointment books of a few clinics."""

import numpy as np
import torch

FEATURES = ["age", "distance", "visits", "reminder", "weekday", "prior_dose"]


def appointment_book(clinic, n=260):
    rng = np.random.default_rng([77, clinic])
    age = rng.normal(48 + 2 * clinic, 17, n)
    distance = rng.exponential(4 + clinic, n)
    visits = rng.poisson(2.5, n)
    reminder = rng.random(n) < 0.3 + 0.06 * clinic
    weekday = rng.integers(0, 5, n)
    prior = rng.random(n) < 0.55
    score = 0.03 * (age - 50) - 0.12 * distance + 0.25 * visits + 0.9 * reminder + 1.1 * prior - 0.8
    came = rng.random(n) < 1 / (1 + np.exp(-score))
    table = np.stack([(age - 50) / 17, distance / 6 - 1, visits / 2 - 1, reminder, weekday / 2 - 1,
                      prior], axis=1)
    return torch.tensor(table, dtype=torch.float32), torch.tensor(came, dtype=torch.float32)
