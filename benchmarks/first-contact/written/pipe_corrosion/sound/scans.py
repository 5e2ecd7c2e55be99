"""Synthetic ultrasonic A-scans of pipe walls, and their envelopes."""

import hashlib
import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

log = logging.getLogger("scans")
CACHE = Path("cache")
GRADES = ("sound", "general", "pitting", "crack")


@dataclass(frozen=True)
class ScanSpec:
    count: int = 1600
    samples: int = 256
    noise: float = 0.16
    seed: int = 905


def simulate(spec):
    rng = np.random.default_rng(spec.seed)
    time = np.arange(spec.samples)
    grades = rng.choice(len(GRADES), size=spec.count, p=(0.4, 0.3, 0.2, 0.1))
    traces = rng.normal(0.0, spec.noise, (spec.count, spec.samples))
    for row, grade in enumerate(grades):
        wall = rng.uniform(150, 190) - (45 if grade == 1 else 0) * rng.uniform(0.5, 1.0)
        echoes = [(wall, 1.0, 6.0)]
        if grade == 2:
            echoes = [(wall, 0.6, 9.0)] + [(rng.uniform(70, 140), rng.uniform(0.2, 0.5), 4.0) for _ in range(3)]
        elif grade == 3:
            echoes.append((rng.uniform(50, 130), rng.uniform(0.4, 0.8), 2.5))
        for centre, height, spread in echoes:
            window = np.exp(-0.5 * ((time - centre) / spread) ** 2)
            traces[row] += height * window * np.cos(0.9 * (time - centre))
    return traces, grades


def envelope(traces):
    kernel = np.hanning(9)
    kernel /= kernel.sum()
    smooth = np.apply_along_axis(lambda trace: np.convolve(np.abs(trace), kernel, mode="same"), 1, traces)
    return np.stack([traces, smooth], axis=1).astype(np.float32)


def load(spec):
    """Traces with their envelopes; kept on disk, as they only hang on the specification."""
    key = hashlib.sha1(json.dumps(asdict(spec), sort_keys=True).encode()).hexdigest()[:12]
    path = CACHE / f"scans-{key}.npz"
    if path.exists():
        log.info("reading %s", path)
        with np.load(path) as stored:
            return stored["features"], stored["grades"]
    traces, grades = simulate(spec)
    features = envelope(traces)
    CACHE.mkdir(exist_ok=True)
    np.savez(path, features=features, grades=grades)
    return features, grades
