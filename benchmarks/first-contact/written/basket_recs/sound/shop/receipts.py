"""A year of receipts of a small shop, with tastes and seasons."""
import numpy as np
import pandas as pd


def receipts(count, items, seed):
    """One row a line of a receipt: receipt, day, item."""
    rng = np.random.default_rng(seed)
    tastes = rng.dirichlet(np.full(items, 0.15), size=12)
    day = np.sort(rng.integers(0, 364, size=count))
    taste = (day // 60 + rng.integers(0, 6, size=count)) % len(tastes)
    size = rng.integers(3, 9, size=count)
    rows = []
    for number in range(count):
        bought = rng.choice(items, size=size[number], p=tastes[taste[number]])
        rows.append(np.stack([np.full(len(bought), number), np.full(len(bought), day[number]), bought], axis=1))
    return pd.DataFrame(np.concatenate(rows), columns=["receipt", "day", "item"])
