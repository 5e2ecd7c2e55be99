"""Synthetic stand-in for the collar archive: one compressed packet file per animal."""
import json
import zlib

import numpy as np

BEHAVIOURS = ("resting", "grazing", "travelling")
RATE_HZ = 8
_LEVEL = {0: 0.05, 1: 0.35, 2: 0.9}
_BEAT = {0: 0.2, 1: 0.9, 2: 1.9}


def _bout(rng, label, seconds):
    t = np.arange(seconds * RATE_HZ) / RATE_HZ
    beat = _BEAT[label] * rng.uniform(0.8, 1.2)
    phase = rng.uniform(0, 2 * np.pi, size=3)
    axes = [_LEVEL[label] * np.sin(2 * np.pi * beat * t + p) for p in phase]
    return np.stack(axes, axis=1) + rng.normal(0, 0.15, size=(t.size, 3))


class CollarArchive:
    """Keeps the packets in memory; decoding one costs a few milliseconds."""

    def __init__(self, animals, seed):
        self.animals = list(animals)
        self._packets = {a: self._record(np.random.default_rng((seed, i)))
                         for i, a in enumerate(self.animals)}

    @staticmethod
    def _record(rng):
        rows = []
        for _ in range(int(rng.integers(10, 26))):
            label = int(rng.integers(len(BEHAVIOURS)))
            for xyz in _bout(rng, label, 12):
                rows.append([label, *(round(float(v), 4) for v in xyz)])
        return zlib.compress(json.dumps(rows).encode(), 6)

    def decode(self, animal):
        rows = np.asarray(json.loads(zlib.decompress(self._packets[animal])), dtype=np.float32)
        return rows[:, 0].astype(np.int64), rows[:, 1:]
