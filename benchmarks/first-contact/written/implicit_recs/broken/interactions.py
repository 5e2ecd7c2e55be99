"""Users with a few tastes click on items of those tastes, popular ones more often."""
import numpy as np


def generate(n_users, n_items, seed, tastes=12, clicks=18):
    rng = np.random.default_rng([seed, 77])
    item_taste = rng.integers(tastes, size=n_items)
    popularity = rng.zipf(1.7, size=n_items).clip(max=50).astype(float)
    train, held_out = [], {}
    for u in range(n_users):
        liked = rng.choice(tastes, size=2, replace=False)
        weight = popularity * np.where(np.isin(item_taste, liked), 1.0, 0.05)
        items = rng.choice(n_items, size=clicks, replace=False, p=weight / weight.sum())
        held_out[u] = int(items[0])
        train.extend((u, int(i)) for i in items[1:])
    return np.array(train), held_out
