"""Monte-Carlo estimate of how much ash falls where."""
import time
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Eruption:
    height: float  # km
    wind: float  # m/s
    grain: float  # mm


class Plume:
    steps = 24

    def __init__(self, cells: int = 12, paths: int = 24000, chunk: int = 1500, seed: int = 0):
        self.cells = cells
        self.paths = paths
        self.chunk = chunk
        self.generator = torch.Generator().manual_seed(seed)
        self.seconds_per_path = float("nan")

    def drift(self, eruption: Eruption, n: int) -> torch.Tensor:
        """Where `n` particles land, in km downwind."""
        gust = torch.randn(n, self.steps, generator=self.generator)
        size = eruption.grain * torch.exp(0.4 * torch.randn(n, generator=self.generator))
        fall = eruption.height * 1000 / (1.0 + 5.0 * size)  # s
        speed = eruption.wind * (1 + 0.3 * gust.cumsum(1) / self.steps ** 0.5).mean(1)
        return speed * fall / 1000

    def warm_up(self, eruption: Eruption, n: int = 512):
        """Times a few particles."""
        state = self.generator.get_state()
        began = time.perf_counter()
        self.drift(eruption, n)
        self.seconds_per_path = (time.perf_counter() - began) / n
        self.generator.set_state(state)

    def deposit(self, eruption: Eruption) -> torch.Tensor:
        """The share of ash in each cell, and what flies on in the last."""
        counts = torch.zeros(self.cells)
        left = self.paths
        while left > 0:
            n = min(self.chunk, left)
            cell = (self.drift(eruption, n) / 8.0).clamp(0, self.cells - 1).long()
            counts += torch.bincount(cell, minlength=self.cells)
            left -= n
        return counts / self.paths
