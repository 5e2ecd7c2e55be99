import numpy as np


def interval(counts, draws=40):
    """A quick bootstrap interval of the weekly mean, for the log."""
    rng = np.random.default_rng()
    means = []
    for _ in range(draws):
        sample = counts[rng.integers(0, len(counts), len(counts))]
        means.append(float(sample.mean()))
    return np.quantile(means, 0.05), np.quantile(means, 0.95)


def passage_rate(fish, minutes):
    """Fish per ten minutes of counting."""
    counting = minutes > 0
    rate = np.divide(fish, minutes / 10, where=counting, out=np.zeros_like(fish))
    return np.sqrt(rate), counting.astype(np.float32)


def channels(fish, minutes, warm, flow):
    rate, counting = passage_rate(fish, minutes)
    return np.stack([rate, counting, (warm - 11) / 3, flow - 1.25])
