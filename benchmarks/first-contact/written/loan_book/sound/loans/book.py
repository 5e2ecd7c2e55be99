import numpy as np
import pandas as pd

NUMERIC = ["income", "amount", "rate", "term", "age", "utilisation", "inquiries", "months_employed"]


def make_month(rng, rows):
    income = rng.lognormal(10.4, 0.6, rows)
    amount = income * rng.beta(2, 5, rows)
    frame = pd.DataFrame({
        "income": income.round(2),
        "amount": amount.round(2),
        "rate": rng.normal(0.11, 0.03, rows).clip(0.01).round(5),
        "term": rng.choice([12, 24, 36, 60], rows),
        "age": rng.integers(18, 80, rows),
        "utilisation": rng.beta(2, 3, rows).round(5),
        "inquiries": rng.poisson(1.3, rows),
        "months_employed": rng.exponential(60, rows).round(1),
        "region": rng.integers(0, 12, rows),
    })
    risk = (3.0 * amount / income + 14 * frame["rate"] + 1.5 * frame["utilisation"]
            + 0.2 * frame["inquiries"] - 0.004 * frame["months_employed"] - 5.2 + 0.05 * frame["region"])
    frame["defaulted"] = (rng.random(rows) < 1 / (1 + np.exp(-risk))).astype(np.int8)
    return frame


def write_partitions(folder, months, seed):
    rng = np.random.default_rng(seed)
    for month in range(months):
        rows = int(rng.integers(150, 400))
        name = f"{2019 + month // 12}-{month % 12 + 1:02d}.csv"
        make_month(rng, rows).to_csv(folder / name, index=False)
