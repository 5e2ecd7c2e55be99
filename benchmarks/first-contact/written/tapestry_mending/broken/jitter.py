"""A small augmentation library: operations take (patch, rng) and return a patch."""
import os

import numpy as np


class Flip:
    def __call__(self, patch, rng):
        if rng.random() < 0.5:
            patch = patch[:, :, ::-1]
        if rng.random() < 0.5:
            patch = patch[:, ::-1, :]
        return patch


class Dye:
    """Shifts the colours of the yarn a little."""

    def __init__(self, strength):
        self.strength = strength

    def __call__(self, patch, rng):
        gain = rng.normal(1.0, self.strength, (3, 1, 1))
        return np.clip(patch * gain, 0.0, 1.0).astype(np.float32)


class Fade:
    def __init__(self, most):
        self.most = most

    def __call__(self, patch, rng):
        amount = rng.uniform(0.0, self.most)
        return ((1.0 - amount) * patch + amount * patch.mean()).astype(np.float32)


class Compose:
    def __init__(self, ops, seed):
        self.ops = ops
        self.seed = seed
        self._owner = None
        self._rng = None

    @property
    def rng(self):
        # every loader process needs a stream of its own after the fork
        if self._owner != os.getpid():
            self._owner = os.getpid()
            self._rng = np.random.default_rng((self.seed, self._owner))
        return self._rng

    def __call__(self, patch):
        for op in self.ops:
            patch = op(patch, self.rng)
        return patch
