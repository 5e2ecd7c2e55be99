"""Synthetic typists: hold times and flight times of a fixed pass phrase."""
import numpy as np

PHRASE = "correct horse battery"


class Typist:
    def __init__(self, rng, common):
        n = len(PHRASE)
        self.hold = common[0] * np.exp(0.12 * rng.standard_normal(n))
        self.flight = common[1] * np.exp(0.18 * rng.standard_normal(n))
        self.jitter = rng.uniform(0.2, 0.45)
        self.tempo = rng.normal(1.0, 0.08)

    def type(self, rng):
        mood = self.tempo * rng.normal(1.0, 0.05)
        hold = self.hold * mood * np.exp(self.jitter * rng.standard_normal(len(PHRASE)))
        flight = self.flight * mood * np.exp(self.jitter * rng.standard_normal(len(PHRASE)))
        return np.stack([hold, flight]).astype(np.float32)


def collect(users, samples, seed):
    """Array [users, samples, 2, len(PHRASE)], logarithms of seconds."""
    rng = np.random.default_rng(seed)
    common = rng.gamma(9.0, 0.010, len(PHRASE)), rng.gamma(5.0, 0.030, len(PHRASE))
    typists = [Typist(rng, common) for _ in range(users)]
    data = np.stack([[t.type(rng) for _ in range(samples)] for t in typists])
    return np.log(data)


def equal_error_rate(genuine, impostor):
    scores = np.concatenate([genuine, impostor])
    thresholds = np.sort(scores)
    frr = np.array([(genuine > t).mean() for t in thresholds])
    far = np.array([(impostor <= t).mean() for t in thresholds])
    at = np.argmin(np.abs(frr - far))
    return float((frr[at] + far[at]) / 2)
