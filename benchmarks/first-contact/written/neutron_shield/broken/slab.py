"""One-dimensional transport of neutrons through a two-layer slab, all histories at once."""
import numpy as np


def design(n, seed):
    """Rows of: thickness, total cross-section and scattering ratio of either layer."""
    rng = np.random.default_rng(seed)
    low = np.array([0.3, 0.4, 0.2, 0.3, 0.4, 0.2])
    high = np.array([2.5, 1.8, 0.95, 2.5, 1.8, 0.95])
    return low + (high - low) * rng.random((n, 6))


def transport(slab, neutrons, rng):
    """Fractions of neutrons that come out at the far and at the near side."""
    t1, s1, c1, t2, s2, c2 = slab
    end = t1 + t2
    x = np.zeros(neutrons)
    mu = np.sqrt(rng.random(neutrons))                     # cosine source
    through = back = 0
    while len(x):
        depth = -np.log1p(-rng.random(len(x)))             # mean free paths to the next collision
        x = fly(x, mu, depth, t1, s1, s2)
        through += int((x >= end).sum())
        back += int((x < 0).sum())
        x = x[(x >= 0) & (x < end)]
        ratio = np.where(x < t1, c1, c2)
        x = x[rng.random(len(x)) < ratio]                  # the others are absorbed
        mu = 2.0 * rng.random(len(x)) - 1.0
    return through / neutrons, back / neutrons


def fly(x, mu, depth, t1, s1, s2):
    """Where `depth` mean free paths along `mu` end, over the boundary at t1."""
    optical = np.where(x < t1, x * s1, t1 * s1 + (x - t1) * s2) + mu * depth
    edge = t1 * s1
    return np.where(optical < edge, optical / s1, t1 + (optical - edge) / s2)
