"""Landmarks of each block, and how near to them a vine stands."""
import time

import numpy as np
from joblib import Parallel, delayed
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

from blocks import PROBES


def place(values, count):
    began = time.perf_counter()
    grouping = KMeans(count, init="random", n_init=1, max_iter=12).fit(values)
    gaps = np.linalg.norm(values - grouping.cluster_centers_[grouping.labels_], axis=1)
    return grouping.cluster_centers_, gaps.mean(), time.perf_counter() - began


class NearLandmarks:
    def __init__(self, count=24, jobs=2):
        self.count = count
        self.jobs = jobs

    def fit(self, table):
        self.scaler = StandardScaler().fit(table[PROBES])
        self.names = sorted(set(table["block"]))
        groups = [self.scaler.transform(table.loc[table["block"] == name, PROBES]) for name in self.names]
        placed = Parallel(n_jobs=self.jobs)(
            delayed(place)(values, self.count) for values in groups)
        self.centres = {name: centres for name, (centres, _, _) in zip(self.names, placed)}
        self.widths = {name: width for name, (_, width, _) in zip(self.names, placed)}
        self.slowest = max(seconds for _, _, seconds in placed)
        return self

    def transform(self, table):
        features = np.zeros((len(table), self.count + len(PROBES)), dtype=np.float32)
        for name in self.names:
            rows = np.flatnonzero(table["block"] == name)
            values = self.scaler.transform(table.loc[rows, PROBES])
            squares = ((values[:, None] - self.centres[name]) ** 2).sum(axis=2)
            features[rows, :self.count] = np.exp(-squares / (2.0 * self.widths[name] ** 2))
            features[rows, self.count:] = values
        return features


def features_of(train, test, **settings):
    near = NearLandmarks(**settings).fit(train)
    print(f"landmarks of {len(near.names)} blocks, slowest {1000 * near.slowest:.0f} ms")
    return near.transform(train), near.transform(test)
