"""The forest that agronomists trust, and what it says about fields that nobody has sampled."""
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

NUMERIC = ["rain_mm", "n_applied", "clay_pct", "organic_c", "drainage_mm"]
CROPS = ["barley", "maize", "grass", "beet", "fallow"]


def draw_fields(n, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "rain_mm": rng.gamma(9, 80, n),
        "n_applied": rng.uniform(0, 260, n),
        "clay_pct": rng.beta(2, 4, n) * 70,
        "organic_c": rng.gamma(4, 0.6, n),
        "drainage_mm": rng.gamma(3, 90, n),
        "crop": rng.choice(CROPS, n),
    })


def leached(fields, seed):
    rng = np.random.default_rng(seed)
    uptake = fields["crop"].map({"barley": 110, "maize": 150, "grass": 200, "beet": 120, "fallow": 10})
    surplus = (fields["n_applied"] + 12 * fields["organic_c"] - uptake).clip(lower=0)
    flow = 1 - np.exp(-fields["drainage_mm"] / (120 + 5 * fields["clay_pct"]))
    return (surplus * flow + 6 + rng.normal(0, 4, len(fields))).clip(lower=0)


def encoder():
    return make_column_transformer((StandardScaler(), NUMERIC), (OneHotEncoder(categories=[CROPS]), ["crop"]))


def train_teacher(fields, target, seed):
    forest = RandomForestRegressor(n_estimators=80, min_samples_leaf=3, max_features=0.6,
                                   n_jobs=2, random_state=seed)
    pipeline = make_pipeline(encoder(), forest)
    pipeline.fit(fields, target)
    forest.set_params(n_jobs=1)
    return pipeline


def label(pipeline, fields):
    return pd.Series(pipeline.predict(fields), index=fields.index, name="leached")
