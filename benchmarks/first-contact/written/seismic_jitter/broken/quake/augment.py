"""Augmentations. Each takes and returns (trace, arrival)."""
import inspect

import numpy as np

REGISTRY = {}


def register(cls):
    REGISTRY[cls.__name__] = cls
    return cls


@register
class Gain:
    def __init__(self, low=0.5, high=2.0, rng=None):
        self.low, self.high = low, high
        self.rng = rng if rng is not None else np.random.default_rng()

    def __call__(self, trace, arrival):
        return trace * np.float32(self.rng.uniform(self.low, self.high)), arrival


@register
class Shift:
    def __init__(self, reach=60, rng=None):
        self.reach = reach
        self.rng = rng if rng is not None else np.random.default_rng()

    def __call__(self, trace, arrival):
        by = int(self.rng.integers(-self.reach, self.reach + 1))
        return np.roll(trace, by, axis=1), min(max(arrival + by, 0), trace.shape[1] - 1)


@register
class DropChannel:
    def __init__(self, p=0.15, generator=None):
        self.p = p
        self.generator = generator if generator is not None else np.random.default_rng()

    def __call__(self, trace, arrival):
        if self.generator.random() < self.p:
            trace = trace.copy()
            trace[self.generator.integers(3)] = 0
        return trace, arrival


@register
class Standardize:
    def __init__(self, eps=1e-6):
        self.eps = eps

    def __call__(self, trace, arrival):
        return (trace - trace.mean()) / (trace.std() + self.eps), arrival


class Pipeline:
    def __init__(self, steps):
        self.steps = steps

    @classmethod
    def from_config(cls, config, rng):
        """Builds the steps that a list of {"name": ..., option: ...} names; those that draw get rng."""
        steps = []
        for entry in config:
            options = dict(entry)
            kind = REGISTRY[options.pop("name")]
            if "rng" in inspect.signature(kind).parameters:
                options["rng"] = rng
            steps.append(kind(**options))
        return cls(steps)

    def __call__(self, trace, arrival):
        for step in self.steps:
            trace, arrival = step(trace, arrival)
        return trace, arrival
