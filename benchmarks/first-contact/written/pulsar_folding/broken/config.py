from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    seed: int = 1967
    ranks: int = 2
    bins: int = 64
    sub_integrations: int = 12
    observations: int = 1280
    epochs: int = 5
    batch: int = 32
    rate: float = 1e-3
    jitter: float = 0.15
