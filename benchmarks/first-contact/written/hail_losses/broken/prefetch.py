"""Simulates the losses of coming batches in threads while the surrogate trains (numpy draws outside the interpreter
lock)."""

import itertools
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch


class LossPrefetcher:
    def __init__(self, damage, events, seed, draws=16, workers=3, depth=3):
        self.damage = damage
        self.events = events
        self.seed = seed
        self.draws = draws
        self.depth = depth
        self._local = threading.local()
        self._worker_numbers = itertools.count()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="hail", initializer=self._prepare_worker)

    def _prepare_worker(self):
        """Each worker has a buffer and a generator of its own: fresh ones for each event would cost more than the draws."""
        self._local.scratch = np.empty((self.draws, len(self.damage.portfolio)))
        self._local.rng = np.random.default_rng([self.seed, next(self._worker_numbers)])

    def _simulate(self, number):
        return self.damage.losses(self.events[number], self._local.rng, self._local.scratch)

    def _collect(self, numbers, futures):
        losses = np.stack([future.result() for future in futures])
        return numbers, torch.tensor(np.log1p(losses), dtype=torch.float32)

    def batches(self, plan):
        """Yields (event numbers, log losses) in the order of `plan`; secondary uncertainty is drawn anew each time."""
        pending = deque()
        for numbers in plan:
            futures = [self._pool.submit(self._simulate, number) for number in numbers]
            pending.append((numbers, futures))
            if len(pending) > self.depth:
                yield self._collect(*pending.popleft())
        while pending:
            yield self._collect(*pending.popleft())

    def close(self):
        self._pool.shutdown()
