"""The sweep. Each setting has a seed of its own, so that adding one changes none of the others."""
import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Callable

import torch
import torch.nn.functional as F


@dataclass(frozen=True)
class Setting:
    label: str
    width: int = 64
    depth: int = 2
    activation: Callable = F.gelu
    noise: float = 0.02
    lr: float = 2e-3
    epochs: int = 9

    def key(self):
        text = json.dumps(asdict(self), sort_keys=True, default=lambda value: value.__name__)
        return hashlib.sha256(text.encode()).hexdigest()

    def seed(self):
        return int(self.key()[:8], 16)


SWEEP = [
    Setting("gelu"),
    Setting("gelu-wide", width=128, lr=1e-3),
    Setting("silu", activation=F.silu),
    Setting("tanh-deep", depth=3, activation=torch.tanh),
]
