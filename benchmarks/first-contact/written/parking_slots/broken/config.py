"""Settings of the parking-slot classifier."""
import zlib
from dataclasses import dataclass, field
from typing import Callable

import torch.nn.functional as F


@dataclass(frozen=True)
class Config:
    name: str = "parking-slots"
    seed: int = 17
    size: int = 24
    train_images: int = 720
    val_images: int = 240
    batch: int = 48
    epochs: int = 9
    lr: float = 5e-3
    widths: tuple = (12, 24)
    activation: Callable = F.silu
    weather: tuple = field(default=("dry", "wet", "snow"))

    def stream(self, purpose: str) -> int:
        """A seed of its own for each purpose, so that one can be changed without the others."""
        text = f"{self}/{purpose}"
        return zlib.crc32(text.encode())
