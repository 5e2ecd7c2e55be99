"""Settings of an experiment, and the key by which it is known."""
import hashlib
from dataclasses import dataclass, fields
from functools import partial
from typing import Callable

import torch.nn.functional as F


def describe(value):
    if isinstance(value, partial):
        options = ", ".join(f"{key}={option!r}" for key, option in sorted(value.keywords.items()))
        return f"{describe(value.func)}({options})"
    if callable(value):
        return value.__qualname__
    return repr(value)


@dataclass(frozen=True)
class Settings:
    images: int = 320
    side: int = 24
    width: int = 12
    epochs: int = 4
    batch: int = 16
    lr: float = 2e-3
    criterion: Callable = partial(F.cross_entropy, label_smoothing=0.05)

    def key(self):
        """The same settings have the same key, others another."""
        parts = [f"{item.name}={describe(getattr(self, item.name))}" for item in fields(self)]
        return hashlib.sha256("; ".join(parts).encode()).hexdigest()

    def summary(self):
        return {item.name: describe(getattr(self, item.name)) for item in fields(self)}

    def seed(self, purpose):
        digest = hashlib.sha256(f"{self.key()}/{purpose}".encode()).digest()
        return int.from_bytes(digest[:4], "little")
