"""A made-up book of deferred annuities, one row per contract."""
import numpy as np
import pandas as pd

NUMERIC = ["age", "years_in_force", "account_value", "surrender_charge", "credited_rate", "rate_gap", "withdrawals"]
CATEGORICAL = ["region", "channel", "rider"]


def draw_portfolio(contracts, regions, seed):
    rng = np.random.default_rng([seed, contracts])
    age = np.clip(rng.normal(61, 9, contracts), 30, 90).round()
    in_force = rng.integers(0, 16, contracts)
    charge = np.clip(0.08 - 0.01 * in_force, 0, None)
    credited = rng.normal(0.031, 0.006, contracts)
    gap = rng.gamma(2.0, 0.006, contracts) - 0.004 + 0.3 * (0.031 - credited)
    value = np.exp(rng.normal(11.2, 0.9, contracts))
    frame = pd.DataFrame({
        "age": age,
        "years_in_force": in_force.astype(float),
        "account_value": value,
        "surrender_charge": charge,
        "credited_rate": credited,
        "rate_gap": gap,
        "withdrawals": rng.poisson(0.6, contracts).astype(float),
        "region": rng.choice(regions, contracts),
        "channel": rng.choice(["bank", "broker", "direct"], contracts, p=[0.5, 0.35, 0.15]),
        "rider": rng.choice(["none", "gmwb", "gmdb"], contracts, p=[0.4, 0.35, 0.25]),
    })
    score = (
        -2.1
        + 70 * np.clip(gap, 0, 0.03)
        + 1.4 * (charge == 0)
        - 9.0 * charge
        + 0.25 * frame["withdrawals"].to_numpy()
        - 0.6 * (frame["rider"] == "gmwb").to_numpy()
        + 0.3 * (frame["channel"] == "broker").to_numpy()
        + 0.02 * (age - 60)
    )
    lapsed = rng.random(contracts) < 1 / (1 + np.exp(-score))
    frame["lapsed"] = lapsed.astype(np.float32)
    return frame
