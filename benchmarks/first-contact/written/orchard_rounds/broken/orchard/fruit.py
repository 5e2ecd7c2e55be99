import numpy as np
import torch

GRADES = 3


def split_harvest(seed, n=420, n_check=20, n_test=100):
    """Weight, colour and firmness of apples with the grade an (unreliable) grader gave."""
    rng = np.random.default_rng(seed)
    grade = rng.integers(0, GRADES, n)
    centre = rng.normal(0, 0.9, (GRADES, 6))
    features = centre[grade] + rng.normal(0, 1.0, (n, 6))
    slip = rng.random(n) < 0.1
    grade = np.where(slip, rng.integers(0, GRADES, n), grade)
    x = torch.tensor(features, dtype=torch.float32)
    y = torch.tensor(grade)
    a, b = n_check, n_check + n_test
    return (x[b:], y[b:]), (x[:a], y[:a]), (x[a:b], y[a:b])
