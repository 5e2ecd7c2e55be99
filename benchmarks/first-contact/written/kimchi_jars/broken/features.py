"""Readings of the fermentation cellar: storage, features and their relevance."""
import sqlite3

import numpy as np
import pandas as pd
from sklearn.feature_selection import mutual_info_regression

PROBES = ["ph", "salt", "temperature", "brix", "redox", "co2", "turbidity", "lactate", "humidity", "lid_pressure"]


def fill_cellar(path, jars, days, seed):
    """Writes one row per jar and day, as the probes report them (one or two decimals)."""
    rng = np.random.default_rng(seed)
    rows = []
    for jar in range(jars):
        salt = rng.normal(2.4, 0.3)
        warmth = rng.normal(6.0, 1.5)
        sourness = 0.0
        for day in range(days):
            sourness += 0.05 * warmth * np.exp(-0.4 * salt) + rng.normal(0, 0.02)
            noise = rng.normal(size=6)
            rows.append((
                jar, day,
                round(6.2 - 1.1 * np.tanh(sourness) + 0.05 * noise[0], 1),
                round(salt + 0.05 * noise[1], 1),
                round(warmth + 0.4 * noise[2], 1),
                round(5.0 - 1.4 * sourness + 0.2 * noise[3], 1),
                round(120 - 60 * sourness + 10 * noise[4]),
                round(abs(0.8 * sourness + 0.3 * noise[5]), 1),
                round(rng.gamma(2.0, 3.0), 1),
                round(2.0 * sourness + rng.normal(0, 0.3), 1),
                round(rng.uniform(60, 90)),
                round(1.0 + 0.2 * sourness + rng.normal(0, 0.1), 2),
                round(10 * np.tanh(sourness) + rng.normal(0, 0.4), 2),
            ))
    frame = pd.DataFrame(rows, columns=["jar", "day", *PROBES, "acidity_panel"])
    with sqlite3.connect(path) as db:
        frame.to_sql("readings", db, index=False)
    db.close()


def read_cellar(path):
    db = sqlite3.connect(path)
    frame = pd.read_sql_query("SELECT * FROM readings ORDER BY jar, day", db)
    db.close()
    for name in ("ph", "co2"):
        frame[f"{name}_change"] = frame.groupby("jar")[name].diff().fillna(0.0).round(2)
    return frame


def relevance(frame, target):
    """How much each column says about the target, as weights that sum to the number of columns."""
    inputs = frame.drop(columns=["jar", "day", target])
    scores = mutual_info_regression(inputs, frame[target], n_neighbors=4)
    scores = pd.Series(scores, index=inputs.columns).clip(lower=1e-3)
    return (scores / scores.sum() * len(scores)).sort_values(ascending=False, kind="stable")
