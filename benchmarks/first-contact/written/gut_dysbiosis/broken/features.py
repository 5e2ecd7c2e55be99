import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


class CenteredLogRatio(TransformerMixin, BaseEstimator):
    def fit(self, counts, y=None):
        return self

    def transform(self, counts):
        logs = np.log(np.asarray(counts, float) + 0.5)
        return logs - logs.mean(1, keepdims=True)


def feature_pipeline(keep):
    """Fitted anew on the training part of each fold."""
    return make_pipeline(CenteredLogRatio(), SelectKBest(f_classif, k=keep), StandardScaler())
