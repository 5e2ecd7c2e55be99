"""Draws what is hard, and what has not been looked at for long."""
import time
from collections.abc import Iterator

import numpy as np
from torch.utils.data import Sampler


class StalenessSampler(Sampler[list[int]]):
    """Batches drawn by loss; a window's weight grows while it is not drawn."""

    def __init__(self, count: int, batch: int, batches: int, patience: float, seed: int) -> None:
        self.batch, self.batches, self.patience = batch, batches, patience
        self.loss = np.ones(count)
        self.last_seen = np.full(count, self.now())
        self.rng = np.random.default_rng(seed)

    def __len__(self) -> int:
        return self.batches

    def now(self) -> float:
        return time.monotonic()

    def weights(self) -> np.ndarray:
        age = self.now() - self.last_seen
        weights = self.loss * (1.0 + age / self.patience)
        return weights / weights.sum()

    def report(self, index: np.ndarray, loss: np.ndarray) -> None:
        self.loss[index] = 0.7 * self.loss[index] + 0.3 * loss

    def __iter__(self) -> Iterator[list[int]]:
        for _ in range(self.batches):
            index = self.rng.choice(len(self.loss), self.batch, replace=False, p=self.weights())
            self.last_seen[index] = self.now()
            yield index.tolist()
