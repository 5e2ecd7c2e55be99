"""Cross-batch memory: embeddings of earlier batches as further negatives and positives."""
from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Callable

import torch


@dataclass
class Kept:
    vectors: torch.Tensor
    issues: torch.Tensor
    born: float


class AgedMemory:
    """Keeps what is not older than `max_age`, since the network has moved on by then."""

    def __init__(self, max_age: float, clock: Callable[[], float], capacity: int = 64) -> None:
        self.max_age, self.clock = max_age, clock
        self.kept: deque[Kept] = deque(maxlen=capacity)
        self.dropped = 0

    def add(self, vectors: torch.Tensor, issues: torch.Tensor) -> None:
        self.kept.append(Kept(vectors.detach().clone(), issues.clone(), self.clock()))

    def read(self) -> tuple[torch.Tensor, torch.Tensor] | None:
        now = self.clock()
        while self.kept and now - self.kept[0].born > self.max_age:
            self.kept.popleft()
            self.dropped += 1
        if not self.kept:
            return None
        return torch.cat([k.vectors for k in self.kept]), torch.cat([k.issues for k in self.kept])
