"""One branch's raw ledger, cleaned and written as a shard."""
from pathlib import Path

import numpy as np
import pandas as pd

FEATURES = ["log_amount", "lag", "weekend", "foreign", "running_z", "counterparty_rate"]


def raw_ledger(branch: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng([seed, branch])
    n = int(rng.integers(150, 260))
    trade = pd.Timestamp("2024-01-02") + pd.to_timedelta(rng.integers(0, 360, n), unit="D")
    lag = rng.integers(1, 6, n)
    amount = np.exp(rng.normal(9, 1.5, n))
    foreign = rng.random(n) < 0.25
    logit = -2.2 + 0.5 * lag + 0.9 * foreign + 0.2 * (np.log(amount) - 9) + 0.1 * (branch % 5)
    return pd.DataFrame(
        {
            "trade": trade,
            "settle": trade + pd.to_timedelta(lag, unit="D"),
            "amount": [f"{a:,.2f}" for a in amount],
            "counterparty": rng.choice([f"CP{k:02d}" for k in range(12)], n),
            "foreign": foreign,
            "broke": (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(int),
        }
    )


def normalise(branch: int, seed: int, folder: Path) -> int:
    frame = raw_ledger(branch, seed).sort_values(["trade", "amount"], kind="stable")
    amount = frame["amount"].str.replace(",", "").astype(float)
    frame["log_amount"] = np.log(amount) - 9
    frame["lag"] = (frame["settle"] - frame["trade"]).dt.days
    frame["weekend"] = (frame["settle"].dt.dayofweek >= 5).astype(int)
    frame["foreign"] = frame["foreign"].astype(int)
    window = frame["log_amount"].rolling(20, min_periods=5)
    frame["running_z"] = ((frame["log_amount"] - window.mean()) / window.std()).fillna(0.0)
    earlier = frame.groupby("counterparty")["broke"].transform(lambda s: s.shift().expanding().mean())
    frame["counterparty_rate"] = earlier.fillna(frame["broke"].mean())
    frame[FEATURES + ["broke"]].to_pickle(folder / f"branch-{branch:03d}.pkl")
    return len(frame)
