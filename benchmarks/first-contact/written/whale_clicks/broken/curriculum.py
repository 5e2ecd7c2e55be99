"""How much sea noise the training clips carry, and when it is raised."""
from __future__ import annotations

from collections import deque
from typing import Iterator, NamedTuple

import numpy as np
import torch
from torch.utils.data import Sampler


class Request(NamedTuple):
    """One clip to be made: its number, the epoch, and the noise it is asked for with."""

    index: int
    epoch: int
    noise: float


class Curriculum:
    """Raises the noise whenever the last few batches went well, lowers it when they did not."""

    def __init__(self, start: float = 0.3, step: float = 0.03, top: float = 3.0, window: int = 4) -> None:
        self._noise = torch.tensor(start, dtype=torch.float64).share_memory_()
        self.step, self.top, self.start = step, top, start
        self.recent: deque[float] = deque(maxlen=window)
        self.raised = 0

    @property
    def noise(self) -> float:
        return float(self._noise)

    def observe(self, accuracy: float) -> None:
        self.recent.append(accuracy)
        if len(self.recent) < self.recent.maxlen:
            return
        mean = sum(self.recent) / len(self.recent)
        if mean > 0.80 and self.noise < self.top:
            self._noise += self.step
            self.raised += 1
        elif mean < 0.55 and self.noise > self.start:
            self._noise -= self.step


class ClipSampler(Sampler):
    def __init__(self, clips: int, curriculum: Curriculum, seed: int) -> None:
        self.clips, self.curriculum, self.seed = clips, curriculum, seed
        self.epoch = 0

    def __len__(self) -> int:
        return self.clips

    def __iter__(self) -> Iterator[Request]:
        order = np.random.default_rng((self.seed, self.epoch)).permutation(self.clips)
        for index in order:
            yield Request(int(index), self.epoch, self.curriculum.noise)
