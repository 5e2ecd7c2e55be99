import torch
from torch import nn


class DwellNet(nn.Module):
    """Three quantiles of the dwell time; the outer ones are kept outside by a softplus."""

    quantiles = (0.1, 0.5, 0.9)

    def __init__(self, n_in: int, hidden: int):
        super().__init__()
        self.norm = nn.BatchNorm1d(n_in)
        self.body = nn.Sequential(
            nn.Linear(n_in, hidden), nn.GELU(), nn.Dropout(0.1), nn.Linear(hidden, hidden), nn.GELU()
        )
        self.head = nn.Linear(hidden, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        low, mid, high = self.head(self.body(self.norm(x))).unbind(1)
        sp = nn.functional.softplus
        return torch.stack([mid - sp(low), mid, mid + sp(high)], 1)


def pinball(pred: torch.Tensor, y: torch.Tensor, quantiles) -> torch.Tensor:
    q = torch.tensor(quantiles)
    e = y[:, None] - pred
    return torch.maximum(q * e, (q - 1) * e).mean()
