"""The kernels that the grader still gets wrong."""
import random
from dataclasses import dataclass

import numpy as np


@dataclass(eq=False)
class Kernel:
    lot: str
    features: np.ndarray
    grade: int
    misses: int = 0


class HardPool:
    """Kernels enter when they are misgraded and leave when they are graded right twice."""

    def __init__(self, seed: int) -> None:
        self._kernels: set[Kernel] = set()
        self._rng = random.Random(seed)

    def __len__(self) -> int:
        return len(self._kernels)

    def __contains__(self, kernel: Kernel) -> bool:
        return kernel in self._kernels

    def update(self, kernel: Kernel, wrong: bool) -> None:
        if wrong:
            kernel.misses = 2
            self._kernels.add(kernel)
        elif kernel in self._kernels:
            kernel.misses -= 1
            if kernel.misses <= 0:
                self._kernels.remove(kernel)

    def draw(self, count: int) -> list[Kernel]:
        return self._rng.sample(list(self._kernels), min(count, len(self._kernels)))
