"""The spans of an overhead line."""
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Span:
    number: int
    length: float  # m
    weight: float  # N/m
    tension: float  # N at 15 degrees
    height_step: float  # m
    exposure: float


def route(count, seed=5):
    rng = np.random.default_rng(seed)
    return [
        Span(
            number=k,
            length=float(rng.uniform(160, 480)),
            weight=float(rng.choice([9.6, 12.4, 15.1])),
            tension=float(rng.uniform(18e3, 34e3)),
            height_step=float(rng.normal(0, 9)),
            exposure=float(rng.beta(2, 3)),
        )
        for k in range(count)
    ]


def features(span):
    return [
        span.length / 300,
        span.weight / 12,
        span.tension / 25e3,
        span.height_step / 10,
        span.exposure,
        (span.weight * span.length**2) / (8 * span.tension) / 10,
    ]
