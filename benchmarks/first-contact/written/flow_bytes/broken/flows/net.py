import torch
from torch import nn


class ByteConvNet(nn.Module):
    """An embedding per byte value, two convolutions along the flow, the maximum over time."""

    def __init__(self, classes, dim=12, channels=32):
        super().__init__()
        self.byte = nn.Embedding(256, dim, padding_idx=0)
        self.conv = nn.Sequential(
            nn.Conv1d(dim, channels, 5, padding=2), nn.ReLU(),
            nn.Conv1d(channels, channels, 3, padding=1), nn.ReLU(),
        )
        self.out = nn.Linear(2 * channels, classes)

    def forward(self, payload):
        h = self.conv(self.byte(payload.int()).transpose(1, 2))
        return self.out(torch.cat([h.amax(2), h.mean(2)], 1))
