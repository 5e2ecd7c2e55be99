"""How worn the patches look: from clean at the beginning to badly faded at the end."""

import multiprocessing as mp


class WearCurriculum:
    """A strength that the training loop sets and the loader's workers read."""

    def __init__(self, low, high):
        self.low, self.high = low, high
        self._strength = mp.get_context("fork").Value("d", low)

    def update(self, progress):
        with self._strength.get_lock():
            self._strength.value = self.low + (self.high - self.low) * min(progress, 1.0)

    @property
    def strength(self):
        return self._strength.value
