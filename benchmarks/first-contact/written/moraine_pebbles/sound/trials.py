import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Callable

import torch
import torch.nn.functional as F


def squared_relu(x: torch.Tensor) -> torch.Tensor:
    return F.relu(x).square()


@dataclass(frozen=True)
class Trial:
    title: str
    channels: int
    activation: Callable[[torch.Tensor], torch.Tensor]
    learning_rate: float = 2e-3
    epochs: int = 4
    blur: float = 0.0

    @property
    def key(self) -> str:
        """Short name of these settings: a trial run again under the same settings is the same trial."""
        text = json.dumps(asdict(self), sort_keys=True, default=lambda value: value.__name__)
        return hashlib.sha1(text.encode()).hexdigest()[:12]

    @property
    def seed(self) -> int:
        return int(self.key[:8], 16)


TRIALS = [
    Trial("plain", 8, F.relu),
    Trial("smooth", 8, F.silu),
    Trial("squared", 8, squared_relu, learning_rate=1e-3),
    Trial("wide", 16, F.silu, blur=0.15),
]
