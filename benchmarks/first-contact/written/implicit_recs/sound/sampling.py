"""Negative items: uniform ones first, hard ones once the model has learnt something."""
import numpy as np


def uniform_negatives(users, seen, rng=None):
    rng = rng if rng is not None else np.random.default_rng(0)
    out = rng.integers(seen.shape[1], size=len(users))
    clash = seen[users, out]
    while clash.any():
        out[clash] = rng.integers(seen.shape[1], size=int(clash.sum()))
        clash = seen[users, out]
    return out


def hard_negatives(scores, users, seen, pool=12, rng=np.random.default_rng()):
    """The best scored of `pool` random candidates for each user."""
    candidates = rng.integers(seen.shape[1], size=(len(users), pool))
    value = np.take_along_axis(scores, candidates, axis=1)
    value = np.where(seen[users[:, None], candidates], -np.inf, value)
    pick = value.argmax(axis=1)
    return candidates[np.arange(len(users)), pick]
