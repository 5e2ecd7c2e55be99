"""Simulated laboratory exports and their versions."""
import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Release:
    path: Path
    version: str

    @property
    def split_seed(self):
        return int(self.version[:8], 16) % (2 ** 31)


def simulate(count, rng):
    iron = rng.normal(0, 1, count)
    frame = pd.DataFrame({
        "patient": [f"P{i:06d}" for i in range(count)],
        "hb": 13.5 + 1.4 * iron + rng.normal(0, 0.9, count),
        "mcv": 88 + 5 * iron + rng.normal(0, 4, count),
        "rdw": 13.5 - 0.8 * iron + rng.normal(0, 1, count),
        "plt": rng.normal(260, 60, count),
        "wbc": rng.lognormal(1.9, 0.3, count),
        "ferritin": np.exp(4 + 0.7 * iron + rng.normal(0, 0.6, count)),
    }).round(2)
    frame["anaemia"] = (iron + rng.normal(0, 0.5, count) < -0.9).astype(int)
    return frame


def export(frame, path):
    ordered = frame.sort_values("patient").reset_index(drop=True)
    ordered.to_csv(path, index=False, compression={"method": "gzip", "compresslevel": 6, "mtime": 1})
    return Release(path, fingerprint(path))


def fingerprint(path):
    digest = hashlib.sha256()
    with open(path, "rb") as handle:
        for block in iter(lambda: handle.read(1 << 16), b""):
            digest.update(block)
    return digest.hexdigest()[:16]


def load(release):
    if fingerprint(release.path) != release.version:
        raise ValueError(f"{release.path} is not release {release.version}")
    return pd.read_csv(release.path)
