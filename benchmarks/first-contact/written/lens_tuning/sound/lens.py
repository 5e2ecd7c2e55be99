"""Points seen through a distorting lens, and where they really are."""
import numpy as np
import torch


def distort(points):
    r2 = (points ** 2).sum(1, keepdims=True)
    radial = points * (1 - 0.22 * r2 + 0.05 * r2 ** 2)
    shear = 0.02 * np.stack([points[:, 0] * points[:, 1], points[:, 1] ** 2], 1)
    return radial + shear


def make(n):
    rng = np.random.default_rng(8080)
    true = rng.uniform(-1.2, 1.2, (n, 2))
    seen = distort(true) + rng.normal(0, 0.004, (n, 2))
    return seen.astype(np.float32), true.astype(np.float32)


def grid_points(path, n):
    """Point pairs, kept in a file, as the ray tracing behind them used to be slow."""
    if path.exists():
        with np.load(path) as kept:
            seen, true = kept["seen"], kept["true"]
    else:
        seen, true = make(n)
        np.savez(path, seen=seen, true=true)
    cut = n * 4 // 5
    seen, true = torch.from_numpy(seen), torch.from_numpy(true)
    return (seen[:cut], true[:cut]), (seen[cut:], true[cut:])
