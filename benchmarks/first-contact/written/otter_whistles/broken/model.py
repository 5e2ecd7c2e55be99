import torch
from torch import nn


class CallNet(nn.Module):
    """Convolutions along time, bands as channels."""

    def __init__(self, bands: int, calls: int, width: int = 48):
        super().__init__()
        self.norm = nn.BatchNorm1d(bands)
        self.body = nn.Sequential(
            nn.Conv1d(bands, width, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(width, width, 3, padding=1), nn.ReLU(), nn.MaxPool1d(2),
            nn.Dropout(0.2),
        )
        self.head = nn.Linear(width, calls)

    def forward(self, picture: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(self.norm(picture.transpose(1, 2))).mean(dim=2))
