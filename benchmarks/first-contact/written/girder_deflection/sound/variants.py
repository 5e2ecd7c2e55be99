"""The variants of the surrogate that are compared."""
import zlib
from dataclasses import dataclass, fields
from typing import Callable

import torch
import torch.nn.functional as F


def snake(x):
    return x + torch.sin(x) ** 2


def squared_relu(x):
    return F.relu(x) ** 2


@dataclass(frozen=True)
class Variant:
    width: int = 48
    depth: int = 3
    activation: Callable = F.silu
    residual: bool = True
    lr: float = 3e-3
    weight_decay: float = 0.0

    def label(self):
        return f"{self.activation.__name__}/{self.width}x{self.depth}{'r' if self.residual else ''}"

    def seed(self, base, repeat):
        """Each variant starts from weights of its own, whatever else is in the table."""
        parts = [f"base={base}", f"repeat={repeat}"]
        for f in fields(self):
            value = getattr(self, f.name)
            parts.append(f"{f.name}={getattr(value, '__name__', value)}")
        return zlib.crc32(";".join(parts).encode())


TABLE = [
    Variant(),
    Variant(residual=False),
    Variant(activation=snake),
    Variant(activation=squared_relu, lr=1e-3),
    Variant(activation=F.silu, width=24, depth=5, weight_decay=1e-4),
]
