"""One trial of the search, and which of them go on."""
from dataclasses import dataclass, field

import torch


@dataclass(order=True)
class Trial:
    """Trials compare by their error, so that a list of them can be sorted."""

    error: float
    seconds: float
    number: int
    config: dict = field(compare=False)
    model: torch.nn.Module = field(compare=False, repr=False)
    optimizer: torch.optim.Optimizer = field(compare=False, repr=False)


def keep_best(trials: list[Trial], count: int) -> list[Trial]:
    return sorted(trials)[:max(count, 1)]
