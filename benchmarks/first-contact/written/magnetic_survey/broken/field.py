"""Neural field with a multi-resolution hashed feature grid."""
import torch
from torch import nn

PRIMES = (1, 2654435761, 805459861)


class HashGrid(nn.Module):
    def __init__(self, levels: int, table_size: int, features: int, coarse: int, growth: float):
        super().__init__()
        self.table_size = table_size
        self.scales = [int(coarse * growth**n) for n in range(levels)]
        self.tables = nn.ParameterList(
            nn.Parameter(torch.empty(table_size, features).uniform_(-1e-2, 1e-2)) for _ in range(levels)
        )
        corners = torch.tensor([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
        self.register_buffer("corners", corners)

    def slots(self, cell: torch.Tensor) -> torch.Tensor:
        mixed = cell[..., 0] * PRIMES[0]
        for axis in (1, 2):
            mixed = mixed ^ (cell[..., axis] * PRIMES[axis])
        return mixed % self.table_size

    def forward(self, xyz: torch.Tensor) -> torch.Tensor:
        found = []
        for scale, table in zip(self.scales, self.tables):
            position = xyz * scale
            base = position.floor().long()
            inside = position - base
            slot = self.slots(base[:, None] + self.corners)
            weight = torch.where(self.corners.bool(), inside[:, None], 1 - inside[:, None]).prod(-1)
            corner_features = table[slot]
            found.append((corner_features * weight[..., None]).sum(1))
        return torch.cat(found, dim=1)


class MagneticField(nn.Module):
    def __init__(self, grid: dict, hidden: int):
        super().__init__()
        self.grid = HashGrid(**grid)
        self.head = nn.Sequential(
            nn.Linear(grid["levels"] * grid["features"], hidden),
            nn.SiLU(),
            nn.Linear(hidden, hidden),
            nn.SiLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, xyz):
        return self.head(self.grid(xyz))[:, 0]
