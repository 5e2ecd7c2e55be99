"""Features of banner campaigns, day by day, from counts per slot of a page."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd

SLOTS = 12


def day_table(day, campaigns, seed):
    rng = np.random.default_rng([seed, day])
    appeal = rng.normal(0, 0.6, campaigns)
    shown = rng.poisson(rng.gamma(0.8, 30.0, (campaigns, SLOTS)))
    shown[rng.random((campaigns, SLOTS)) < 0.15] = 0
    clicked = rng.binomial(shown, 1 / (1 + np.exp(3.0 - appeal))[:, None])
    frame = pd.DataFrame({"campaign": [f"c{number:04d}" for number in range(campaigns)], "day": day,
                          "spend": rng.gamma(2.0, 20.0, campaigns),
                          "sold": rng.poisson(np.exp(0.5 + appeal))})
    return frame, shown.astype(np.float32), clicked.astype(np.float32)


def share(part, whole):
    """part / whole, and nothing where there is no whole."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def day_features(day, campaigns, seed):
    frame, shown, clicked = day_table(day, campaigns, seed)
    reach = np.log1p(shown) / 6.0
    weight = reach / (reach.sum(axis=1, keepdims=True) + 1e-3)
    rate = np.clip(np.nan_to_num(share(clicked, shown)), 0.0, 1.0)
    spread = np.abs(rate - rate.mean(axis=1, keepdims=True))
    money = np.log1p(frame["spend"].to_numpy(np.float32))[:, None]
    block = np.concatenate([reach, weight, rate, spread, money], axis=1)
    return frame[["campaign", "day", "sold"]], block


def table(days, campaigns, seed):
    with ThreadPoolExecutor(4) as threads:
        parts = list(threads.map(lambda day: day_features(day, campaigns, seed), range(days)))
    return pd.concat([frame for frame, _ in parts], ignore_index=True), np.concatenate([block for _, block in parts])
