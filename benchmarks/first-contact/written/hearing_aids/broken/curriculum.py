"""How hard the mixtures are, and which ones make a batch."""
import multiprocessing

import numpy as np


class SnrSchedule:
    """The level of the talker over the noise, lowered along a half cosine over the training."""

    def __init__(self, start_db, final_db, total_steps):
        self.start_db = start_db
        self.final_db = final_db
        self.total_steps = total_steps
        # in shared memory: the loader's workers live through all epochs and would keep a plain
        # attribute at the value it had when they were started
        self._level = multiprocessing.Value("d", start_db)

    def advance(self, step):
        done = min(step / max(self.total_steps - 1, 1), 1.0)
        blend = 0.5 * (1.0 - np.cos(np.pi * done))
        self._level.value = self.start_db + blend * (self.final_db - self.start_db)

    @property
    def level_db(self):
        return self._level.value


class MixtureSampler:
    """Batches of requests to the dataset.

    A request is (utterance, take): the take makes the noise of an utterance another one in each
    epoch.
    """

    def __init__(self, utterances, batch_size, seed):
        self.utterances = utterances
        self.batch_size = batch_size
        self.seed = seed
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return self.utterances // self.batch_size

    def __iter__(self):
        order = np.random.default_rng([self.seed, self.epoch]).permutation(self.utterances)
        for number in range(len(self)):
            chunk = order[number * self.batch_size:(number + 1) * self.batch_size]
            yield [(int(utterance), self.epoch) for utterance in chunk]
