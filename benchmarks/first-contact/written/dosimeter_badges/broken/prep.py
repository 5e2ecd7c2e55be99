"""Simulated badge readings and their preprocessing."""
import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer, StandardScaler

ELEMENTS = ["li700_a", "li700_b", "li100h", "be_window"]
FILTERS = ["open", "cu", "al"]


def read_badges(n_badges, seed):
    rng = np.random.default_rng(seed)
    dose = rng.lognormal(mean=-0.5, sigma=0.9, size=n_badges)
    energy = rng.gamma(4.0, 30.0, size=n_badges)
    columns = {}
    for i, element in enumerate(ELEMENTS):
        for j, filt in enumerate(FILTERS):
            response = 1.0 + 0.6 * np.exp(-energy / (25.0 * (1 + i))) - 0.2 * j * np.exp(-energy / 60.0)
            noise = rng.normal(1.0, 0.05, size=n_badges)
            columns[f"{element}_{filt}"] = dose * response * noise + rng.exponential(0.01, size=n_badges)
    frame = pd.DataFrame(columns)
    frame["wear_days"] = rng.integers(20, 95, size=n_badges)
    frame["hp10"] = np.log(dose * (1.0 + 0.1 * np.tanh(energy / 80.0)))
    return frame


def make_scaler(seed):
    # readings are heavy-tailed: map each to a normal score before the PCA
    return make_pipeline(
        QuantileTransformer(n_quantiles=256, output_distribution="normal"),
        PCA(n_components=8, svd_solver="full"),
        StandardScaler(),
    )


def split(frame, seed, held_out=0.12):
    order = np.random.default_rng([seed, 1]).permutation(len(frame))
    cut = int(len(frame) * held_out)
    return frame.iloc[order[cut:]], frame.iloc[order[:cut]]
