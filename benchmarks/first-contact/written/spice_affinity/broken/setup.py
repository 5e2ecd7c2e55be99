from dataclasses import dataclass

import numpy as np
import torch


@dataclass(frozen=True)
class Config:
    seed: int = 77
    recipes: int = 2500
    epochs: int = 60
    lr: float = 5e-3
    log_every: int = 10


def prepare(config):
    """Everything that is to be set before the first draw."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    np.random.seed(config.seed)
    torch.manual_seed(config.seed)
