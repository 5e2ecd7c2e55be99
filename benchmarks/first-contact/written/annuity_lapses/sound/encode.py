"""Turns contract rows into model inputs; fitted on the training rows only."""
import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import OneHotEncoder, QuantileTransformer

from portfolio import CATEGORICAL, NUMERIC

WHOLE_YEARS = ["age", "years_in_force"]


class ContractEncoder:
    """Numbers go to normal scores, categories to indicator columns.

    Ages and durations are recorded in whole years; they are spread over the year
    first, so that the scores do not pile up on a few values.
    """

    def __init__(self, quantiles, dither_years, seed):
        self.dither_years = dither_years
        self.rng = np.random.default_rng([seed, 11])
        self.columns = ColumnTransformer(
            [
                ("scores", QuantileTransformer(n_quantiles=quantiles, output_distribution="normal",
                                               random_state=seed), NUMERIC),
                ("groups", OneHotEncoder(handle_unknown="ignore", sparse_output=False), CATEGORICAL),
            ]
        )

    def _spread(self, frame):
        frame = frame.copy()
        for column in WHOLE_YEARS:
            frame[column] += self.rng.uniform(-self.dither_years, self.dither_years, len(frame))
        return frame

    def fit_transform(self, frame):
        return self.columns.fit_transform(self._spread(frame)).astype(np.float32)

    def transform(self, frame):
        return self.columns.transform(self._spread(frame)).astype(np.float32)
