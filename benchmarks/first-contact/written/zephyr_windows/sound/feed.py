"""Batches of wind-mast windows, prepared by a thread ahead of the training."""
import queue
import threading

import numpy as np
import torch


class Feed:
    """Iterates over `steps` batches; the arrays that hold them are used again and again."""

    def __init__(self, series: np.ndarray, past: int, ahead: int, batch: int, steps: int, depth: int = 3, seed: int = 0):
        self.series, self.past, self.ahead = series, past, ahead
        self.batch, self.steps = batch, steps
        self.rng = np.random.default_rng(seed)
        masts = series.shape[0]
        self.slots = [np.zeros((batch, masts, past + ahead), np.float32) for _ in range(depth + 2)]
        self.ready: queue.Queue = queue.Queue(maxsize=depth)
        self.failure: BaseException | None = None

    def fill(self, slot: np.ndarray):
        length = self.past + self.ahead
        starts = self.rng.integers(0, self.series.shape[1] - length, self.batch)
        for row, start in enumerate(starts):
            window = self.series[:, start:start + length]
            gain = self.rng.uniform(0.8, 1.2)
            slot[row] = (window - window[:, : self.past].mean(1, keepdims=True)) * gain
            slot[row, :, : self.past] += self.rng.normal(0, 0.05, (slot.shape[1], self.past))

    def work(self):
        try:
            for step in range(self.steps):
                slot = self.slots[step % len(self.slots)]
                self.fill(slot)
                self.ready.put(torch.from_numpy(slot))
        except BaseException as error:
            self.failure = error
        finally:
            self.ready.put(None)

    def __iter__(self):
        thread = threading.Thread(target=self.work, name="feed", daemon=True)
        thread.start()
        while (item := self.ready.get()) is not None:
            yield item[:, :, : self.past], item[:, :, self.past:]
        thread.join()
        if self.failure is not None:
            raise self.failure
