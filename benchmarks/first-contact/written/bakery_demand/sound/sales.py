"""Daily sales of a bakery's articles, with weekday, season and weather."""
import numpy as np
import pandas as pd
import torch
from torch.utils.data import DataLoader, TensorDataset

ARTICLES = ("rye loaf", "baguette", "croissant", "pretzel", "plum cake")
PAST = 21


def make_table(seed: int, days: int = 1100) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    index = pd.date_range("2021-03-01", periods=days, freq="D")
    rain = rng.gamma(0.6, 3.0, days)
    table = pd.DataFrame({"rain": rain}, index=index)
    for k, article in enumerate(ARTICLES):
        week = 1 + 0.35 * (index.dayofweek.values >= 4 + k % 2)
        season = 1 + 0.2 * np.sin(2 * np.pi * index.dayofyear.values / 365 + k)
        table[article] = rng.poisson((60 + 25 * k) * week * season * np.exp(-0.01 * rain))
    return table


def make_sets(table: pd.DataFrame):
    values = table.to_numpy(dtype=np.float32)
    values = (values - values[:800].mean(0)) / values[:800].std(0)
    weekday = np.eye(7, dtype=np.float32)[table.index.dayofweek]
    rows = torch.from_numpy(np.hstack([values, weekday]))
    past = rows.unfold(0, PAST, 1)[:-1].transpose(1, 2).contiguous()
    target = rows[PAST:, 1:1 + len(ARTICLES)].contiguous()
    cut = 860
    return (TensorDataset(past[:cut], target[:cut]), TensorDataset(past[cut:], target[cut:]))


def make_loaders(seed: int):
    train, test = make_sets(make_table(seed))
    generator = torch.Generator().manual_seed(seed)
    return DataLoader(train, 32, shuffle=True, generator=generator), DataLoader(test, 256)
