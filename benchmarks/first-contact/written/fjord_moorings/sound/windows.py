"""Reads random windows of many moorings at once without holding up the training."""
from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

import numpy as np
import torch

from archive import Mooring


@dataclass
class WindowReader:
    size: int
    rng: np.random.Generator
    at_once: int = 4
    read_seconds: float = 0.0
    slots: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self.slots = asyncio.Semaphore(self.at_once)

    @staticmethod
    def _read(mooring: Mooring) -> np.ndarray:
        with np.load(mooring.path) as stored:
            return stored["record"]

    async def window(self, mooring: Mooring) -> torch.Tensor:
        start = int(self.rng.integers(0, mooring.length - self.size))
        async with self.slots:
            began = time.perf_counter()
            record = await asyncio.to_thread(self._read, mooring)
            self.read_seconds += time.perf_counter() - began
        return torch.from_numpy(record[:, start : start + self.size].copy())

    async def batch(self, moorings: list[Mooring]) -> tuple[torch.Tensor, torch.Tensor]:
        windows = await asyncio.gather(*(self.window(m) for m in moorings))
        return torch.stack(windows), torch.tensor([m.regime for m in moorings])
