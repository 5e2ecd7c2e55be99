"""Synthetic daily sales of one supermarket chain: item x store x day."""
import numpy as np
import torch
from torch.utils.data import Dataset

LOOKBACK = 28


class SalesWindows(Dataset):
    """Windows of LOOKBACK days of sales, with the next day's sales as target."""

    def __init__(self, items, stores, days, seed):
        rng = np.random.default_rng(seed)
        base = rng.gamma(3.0, 4.0, size=(items, stores, 1))
        day = np.arange(days)
        weekly = 1.0 + 0.35 * np.sin(2 * np.pi * (day[None, None] / 7.0 + rng.random((items, 1, 1))))
        yearly = 1.0 + 0.15 * np.cos(2 * np.pi * day / 365.0)
        promo = (rng.random((items, stores, days)) < 0.06).astype(np.float64)
        rate = base * weekly * yearly * (1.0 + 1.2 * promo)
        sales = rng.poisson(rate)

        self.sales = torch.from_numpy(np.log1p(sales).astype(np.float32))
        self.promo = torch.from_numpy(promo.astype(np.float32))
        self.weekday = torch.from_numpy((day % 7).astype(np.int64))
        self.index = [
            (i, s, d)
            for i in range(items)
            for s in range(stores)
            for d in range(LOOKBACK, days, 5)
        ]
        self.items = items
        self.stores = stores

    def __len__(self):
        return len(self.index)

    def __getitem__(self, k):
        i, s, d = self.index[k]
        history = self.sales[i, s, d - LOOKBACK:d]
        return history, self.promo[i, s, d], self.weekday[d], i, s, self.sales[i, s, d]
