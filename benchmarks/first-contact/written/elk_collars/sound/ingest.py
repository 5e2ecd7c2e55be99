"""Asynchronous ingest: decode packets off the event loop, cut them to windows, augment."""
import asyncio
import logging
import time

import numpy as np

log = logging.getLogger("ingest")


class Ingest:
    def __init__(self, archive, window, copies, noise, seed, parallel=4):
        self.archive = archive
        self.window = window
        self.copies = copies
        self.noise = noise
        self.seed = seed
        self.gate = asyncio.Semaphore(parallel)

    def _cut(self, labels, xyz):
        n = len(labels) // self.window
        y = labels[: n * self.window].reshape(n, self.window)[:, self.window // 2]
        x = xyz[: n * self.window].reshape(n, self.window, 3)
        return x.transpose(0, 2, 1), y

    def _augment(self, x, rng):
        """Collars rotate on the neck: a random gain for each axis plus sensor noise."""
        gain = rng.uniform(0.8, 1.2, size=(len(x), 3, 1)).astype(np.float32)
        return x * gain + rng.normal(0, self.noise, size=x.shape).astype(np.float32)

    async def _animal(self, number, name):
        async with self.gate:
            labels, xyz = await asyncio.to_thread(self.archive.decode, name)
        x, y = self._cut(labels, xyz)
        rng = np.random.default_rng((self.seed, number))
        xs = [x] + [self._augment(x, rng) for _ in range(self.copies)]
        return np.concatenate(xs), np.tile(y, self.copies + 1)

    async def _all(self, names):
        return await asyncio.gather(*(self._animal(i, n) for i, n in enumerate(names)))

    def run(self, names):
        started = time.perf_counter()
        parts = asyncio.run(self._all(names))
        x = np.concatenate([p[0] for p in parts])
        y = np.concatenate([p[1] for p in parts])
        log.info("%d windows of %d animals in %.2f s", len(y), len(names),
                 time.perf_counter() - started)
        return x, y
