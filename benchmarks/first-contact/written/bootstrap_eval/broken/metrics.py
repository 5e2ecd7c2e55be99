"""Metrics with percentile bootstrap intervals."""
import functools

import numpy as np


def with_interval(resamples=400, level=0.95):
    def wrap(metric):
        @functools.wraps(metric)
        def inner(scores, labels):
            rng = np.random.RandomState()
            values = []
            for _ in range(resamples):
                pick = rng.randint(0, len(labels), len(labels))
                values.append(metric(scores[pick], labels[pick]))
            tail = 100 * (1 - level) / 2
            low, high = np.percentile(values, [tail, 100 - tail])
            return {"value": metric(scores, labels), "low": float(low), "high": float(high)}
        return inner
    return wrap


@with_interval()
def accuracy(scores, labels):
    return float((scores.argmax(1) == labels).mean())


@with_interval()
def brier(scores, labels):
    target = np.eye(scores.shape[1])[labels]
    return float(((scores - target) ** 2).sum(1).mean())


@with_interval(resamples=200)
def ece(scores, labels, bins=10):
    conf, hit = scores.max(1), scores.argmax(1) == labels
    which = np.minimum((conf * bins).astype(int), bins - 1)
    return float(sum(abs(hit[which == b].mean() - conf[which == b].mean()) * (which == b).mean()
                     for b in np.unique(which)))
