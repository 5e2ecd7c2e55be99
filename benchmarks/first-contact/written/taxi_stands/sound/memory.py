"""Shifts that were driven, and a memory of the last of them."""
import random
import weakref
from collections import deque
from dataclasses import dataclass, field

import numpy as np


@dataclass(eq=False)
class Shift:
    number: int
    steps: list = field(default_factory=list, repr=False)


@dataclass(eq=False)
class Step:
    shift: Shift
    obs: np.ndarray
    action: int
    reward: float

    def gain(self, discount: float) -> float:
        """The discounted income from here to the end of the shift."""
        total = 0.0
        for step in reversed(self.shift.steps):
            total = step.reward + discount * total
            if step is self:
                break
        return total


class Memory:
    """Keeps the last shifts; by_number finds one without keeping it."""

    def __init__(self, size: int, rng: random.Random):
        self.recent = deque(maxlen=size)
        self.by_number = weakref.WeakValueDictionary()
        self.rng = rng

    def add(self, shift: Shift) -> None:
        self.recent.append(shift)
        self.by_number[shift.number] = shift

    def sample(self, count: int) -> list[Shift]:
        numbers = sorted(shift.number for shift in self.recent)
        chosen = self.rng.sample(numbers, min(count, len(numbers)))
        return [self.by_number[number] for number in chosen]
