"""Settings of one experiment, its name and its seed."""
import json
import math
import zlib
from dataclasses import asdict, dataclass, field

import torch


class CosineSchedule:
    """Nichol and Dhariwal's noise schedule."""

    def __init__(self, steps: int = 40, offset: float = 0.008):
        self.steps = steps
        self.offset = offset

    def alpha_bar(self) -> torch.Tensor:
        t = torch.linspace(0, 1, self.steps + 1, dtype=torch.float64)
        f = torch.cos((t + self.offset) / (1 + self.offset) * math.pi / 2) ** 2
        return (f / f[0]).clamp(1e-5, 1.0)[1:].float()


@dataclass
class Settings:
    project: str = "spores"
    trial: int = 3
    grains: int = 1024
    size: int = 12
    width: int = 96
    epochs: int = 14
    batch: int = 64
    lr: float = 2e-3
    schedule: CosineSchedule = field(default_factory=CosineSchedule)

    def canonical(self) -> str:
        return json.dumps(asdict(self), sort_keys=True, default=str)

    @property
    def key(self) -> int:
        """The same for the same settings, another for every other trial."""
        return zlib.crc32(self.canonical().encode())

    @property
    def name(self) -> str:
        return f"{self.project}-{self.trial:02d}"
