import numpy as np


class NegativeSampler:
    """Draws items that a user has not interacted with, by popularity ** alpha."""

    def __init__(self, interactions, n_items, alpha=0.75, rng=None):
        counts = np.bincount(interactions[:, 1], minlength=n_items) + 1.0
        weights = counts ** alpha
        self.p = weights / weights.sum()
        self.n_items = n_items
        self.seen = {}
        for user, item in interactions:
            self.seen.setdefault(int(user), set()).add(int(item))
        self.rng = rng or np.random.default_rng()

    def draw(self, users, k):
        out = self.rng.choice(self.n_items, size=(len(users), k), p=self.p)
        for row, user in enumerate(users):
            for col in range(k):
                while int(out[row, col]) in self.seen[int(user)]:
                    out[row, col] = self.rng.choice(self.n_items, p=self.p)
        return out
