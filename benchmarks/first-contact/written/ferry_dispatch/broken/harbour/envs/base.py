"""The small part of the gym interface that this project needs."""
import numpy as np


class Env:
    observation_size = 0
    n_actions = 0

    def __init__(self):
        self._rng = None

    @property
    def rng(self):
        if self._rng is None:
            raise RuntimeError("call reset() before stepping")
        return self._rng

    def reset(self, *, seed=None):
        self._rng = np.random.default_rng(seed)

    def step(self, action):
        raise NotImplementedError
