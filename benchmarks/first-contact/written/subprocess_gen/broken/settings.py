import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    seed: int = 1905
    days: int = 800
    hours: int = 24
    epochs: int = 8
    width: int = 24
    lr: float = 0.004

    def environment(self):
        """What child processes get to see."""
        return {**os.environ, "GENERATOR_SEED": str(self.seed), "PYTHONHASHSEED": "0"}
