"""Turns catalogue rows into network inputs."""
import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, QuantileTransformer

NUMERIC = ["estimate", "age", "bidders", "weight"]
CATEGORIES = ["house", "period"]


class CatalogueEncoder:
    """Prices and weights have long tails: they are mapped to normal scores, fitted on the training lots only."""

    def __init__(self, seed: int, quantiles: int = 500):
        self.seed = seed
        self.fill = SimpleImputer(strategy="median")
        self.scale = QuantileTransformer(
            n_quantiles=quantiles,
            output_distribution="normal",
            random_state=seed,
        )
        self.onehot = OneHotEncoder(sparse_output=False, handle_unknown="ignore")

    def fit(self, frame: pd.DataFrame) -> "CatalogueEncoder":
        filled = self.fill.fit_transform(frame[NUMERIC])
        self.scale.fit(filled)
        self.onehot.fit(frame[CATEGORIES])
        return self

    def transform(self, frame: pd.DataFrame) -> np.ndarray:
        scores = self.scale.transform(self.fill.transform(frame[NUMERIC]))
        kinds = self.onehot.transform(frame[CATEGORIES])
        return np.hstack([scores.clip(-4, 4), kinds]).astype(np.float32)
