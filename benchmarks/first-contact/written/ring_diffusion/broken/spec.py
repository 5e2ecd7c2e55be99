from dataclasses import dataclass, field
from typing import Callable


@dataclass(frozen=True)
class Spec:
    """All that decides what a run computes."""
    schedule: Callable
    levels: int = 40
    width: int = 64
    batch: int = 128
    steps: int = 500
    lr: float = 2e-3
    seed: int = 8
    labels: dict = field(default_factory=dict, compare=False)
