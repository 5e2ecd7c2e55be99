"""Synthetic bodily-injury claims, laid out like the monthly extract from the claims system."""
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

BODIES = ["hatchback", "saloon", "estate", "suv", "van"]
TARGET = "prolonged"


def load_claims(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    firms = [f"SOL{i:03d}" for i in range(120)]
    leaning = rng.normal(0.0, 0.7, len(firms))
    firm = rng.integers(0, len(firms), n)
    frame = pd.DataFrame({
        "claim_id": [f"BI-{i:06d}" for i in range(n)],
        "age": rng.integers(18, 88, n).astype(float),
        "delta_v": rng.gamma(3.0, 4.0, n),
        "days_to_report": rng.geometric(0.12, n).astype(float),
        "prior_claims": rng.poisson(0.4, n).astype(float),
        "body": rng.choice(BODIES, n, p=[0.38, 0.22, 0.14, 0.2, 0.06]),
        "headrest": rng.choice(["none", "fixed", "active"], n, p=[0.1, 0.6, 0.3]),
        "firm": [firms[i] for i in firm],
    })
    score = (
        -1.1
        + 0.02 * (frame["age"] - 45)
        + 0.05 * frame["delta_v"]
        - 0.8 * (frame["headrest"] == "active")
        + 0.03 * np.minimum(frame["days_to_report"], 30)
        + leaning[firm]
    )
    frame[TARGET] = (rng.random(n) < 1 / (1 + np.exp(-score))).astype(int)
    # some reports come in without a speed estimate
    frame.loc[rng.random(n) < 0.06, "delta_v"] = np.nan
    return frame


def split_claims(frame: pd.DataFrame, seed: int):
    """60/20/20, with the same share of prolonged claims in each part."""
    rest, test = train_test_split(
        frame, test_size=0.2, stratify=frame[TARGET], random_state=seed
    )
    train, val = train_test_split(rest, test_size=0.25, stratify=rest[TARGET], random_state=seed)
    return train, val, test
