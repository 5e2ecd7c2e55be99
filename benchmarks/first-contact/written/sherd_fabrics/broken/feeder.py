"""Hands out batches that a thread prepares ahead of time."""
import logging
import queue
import threading
import time

import numpy as np
import torch

log = logging.getLogger("feeder")


class Feeder:
    def __init__(self, sections, rows, batch, ahead, seed):
        self.sections = sections
        self.rows = np.asarray(rows)
        self.batch = batch
        self.ahead = ahead
        share = np.bincount(sections.fabrics[self.rows]) / len(self.rows)
        weight = 1.0 / share[sections.fabrics[self.rows]]
        self._weight = weight / weight.sum()
        self._rng = np.random.default_rng(seed)

    def __len__(self):
        return len(self.rows) * 2 // self.batch

    def epoch(self):
        """Rare fabrics are shown as often as common ones."""
        order = self._rng.choice(self.rows, len(self) * self.batch, p=self._weight)
        ready = queue.Queue(self.ahead)
        thread = threading.Thread(target=self._fill, args=(order, ready), name="feeder", daemon=True)
        thread.start()
        for _ in range(len(self)):
            taken = [ready.get() for _ in range(self.batch)]
            yield torch.stack([picture for picture, _ in taken]), torch.tensor([fabric for _, fabric in taken])
        thread.join()

    def _fill(self, order, ready):
        began = time.perf_counter()
        for index in order:
            ready.put(self.sections.relit(int(index)))
        log.info("%d pictures, %.0f/s", len(order), len(order) / (time.perf_counter() - began))
