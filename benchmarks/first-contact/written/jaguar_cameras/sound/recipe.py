"""What one training run consists of, and the identity that follows from it."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Callable

import torch.nn.functional as F


@dataclass(frozen=True)
class Recipe:
    channels: tuple = (8, 16, 24)
    activation: Callable = F.silu
    dropout: float = 0.15
    lr: float = 2e-3
    weight_decay: float = 1e-2
    epochs: int = 4
    batch: int = 32
    repeat: int = 0

    def ident(self):
        """Short name of this recipe: the same settings are the same run."""
        text = json.dumps(asdict(self), sort_keys=True, default=lambda item: item.__name__)
        return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()

    def seed(self):
        # every recipe (and every repeat of it) starts from a seed of its own
        return int(self.ident(), 16) % (2**31)
