"""Variations of the recorded strokes, made by a few threads (NumPy leaves the interpreter free meanwhile)."""
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from turning import random_rotation

BLOCK = 14


class Augmenter:
    def __init__(self, threads, seed):
        self.sequence = np.random.SeedSequence(seed)
        self.local = threading.local()
        self.pool = ThreadPoolExecutor(threads, "augment", initializer=self.prepare)

    def prepare(self):
        """Once in each thread: neither generators nor scratch space must be shared between threads."""
        self.local.scratch = None
        self.local.rng = np.random.default_rng(self.sequence.spawn(1)[0])

    def block(self, strokes):
        rng = self.local.rng
        if self.local.scratch is None:
            self.local.scratch = np.empty(strokes.shape[1:])
        return np.stack([self.vary(rng, stroke) for stroke in strokes])

    def vary(self, rng, stroke):
        work = self.local.scratch
        np.copyto(work, stroke)
        length = work.shape[1]
        at = np.linspace(0, 1, length)
        knots = np.sort(np.concatenate([[0, 1], rng.uniform(0, 1, 3)]))
        warped = 0.7 * at + 0.3 * np.interp(at, np.linspace(0, 1, 5), knots)
        for channel in work:
            channel[:] = np.interp(warped, at, channel)
        turn = random_rotation(rng, 0.3)
        result = np.concatenate([turn @ work[:3], turn @ work[3:]])
        result += rng.normal(0, 0.1, result.shape)
        return result.astype(np.float32)

    def epoch(self, strokes):
        blocks = [strokes[at:at + BLOCK] for at in range(0, len(strokes), BLOCK)]
        return np.concatenate(list(self.pool.map(self.block, blocks)))  # map keeps the order

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.pool.shutdown()
