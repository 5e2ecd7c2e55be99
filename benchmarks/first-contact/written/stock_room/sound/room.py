"""A stock room with three goods: orders arrive late, demand is random, shelves are small."""
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class RoomSettings:
    goods: int = 3
    shelf: int = 20
    days: int = 30
    delay: int = 2
    demand: tuple = (2.0, 3.5, 5.0)
    price: float = 1.0
    holding: float = 0.08
    order_cost: float = 0.3


class StockRoom:
    """reset() and step() as is usual; reset(seed=...) starts the random numbers anew."""

    lots = (0, 3, 6, 9)

    def __init__(self, settings):
        self.settings = settings
        self.rng = None

    def reset(self, seed=None):
        if seed is not None or self.rng is None:
            self.rng = np.random.default_rng(seed)
        s = self.settings
        self.day = 0
        self.stock = self.rng.integers(4, 12, s.goods)
        self.coming = np.zeros((s.delay, s.goods), dtype=int)
        return self.view()

    def view(self):
        parts = (self.stock, self.coming.ravel(), [self.day])
        return np.concatenate(parts).astype(np.float32) / self.settings.shelf

    def step(self, action):
        s = self.settings
        order = np.array([self.lots[a] for a in action])
        self.stock = np.minimum(self.stock + self.coming[0], s.shelf)
        self.coming = np.vstack((self.coming[1:], order))
        season = 1 + 0.5 * np.sin(2 * np.pi * self.day / 15)
        wanted = self.rng.poisson(np.array(s.demand) * season)
        sold = np.minimum(wanted, self.stock)
        self.stock = self.stock - sold
        self.day += 1
        reward = (s.price * sold.sum() - s.holding * self.stock.sum()
                  - s.order_cost * (order > 0).sum() - 0.2 * (wanted - sold).sum())
        return self.view(), float(reward), self.day >= s.days
