"""Experiment settings and the random streams that belong to them."""
import json
import zlib
from dataclasses import asdict, dataclass, fields
from typing import Callable

import numpy as np
import torch
from torch.nn import functional as F


@dataclass(frozen=True)
class Experiment:
    name: str = "boiling-point"
    molecules: int = 260
    hidden: int = 48
    rounds: int = 3
    activation: Callable = F.silu
    lr: float = 3e-3
    epochs: int = 11
    seed: int = 2

    def describe(self):
        """One line for the log, in the order of the fields."""
        return ", ".join(f"{item.name}={getattr(self, item.name)}" for item in fields(self))

    def fingerprint(self):
        """Tells experiments apart: every setting changes it."""
        return zlib.crc32(self.describe().encode())

    def stream(self, purpose):
        """An independent NumPy generator, so that experiments do not share their draws."""
        return np.random.default_rng([self.fingerprint(), zlib.crc32(purpose.encode())])


def save_settings(experiment, path):
    path.write_text(json.dumps(asdict(experiment), default=lambda value: value.__name__, indent=1))


def seed_torch(experiment):
    torch.manual_seed(experiment.seed)
    torch.set_num_threads(1)
