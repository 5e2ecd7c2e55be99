import torch
from torch import nn

from scans import SOLVENTS


class BlendNet(nn.Module):
    def __init__(self, channels=16):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, channels, kernel_size=9, stride=2, padding=4),
            nn.BatchNorm1d(channels),
            nn.ReLU(),
            nn.Conv1d(channels, channels, kernel_size=9, stride=4, padding=4),
            nn.ReLU(),
            nn.AdaptiveAvgPool1d(16),
            nn.Flatten(),
        )
        self.head = nn.Linear(channels * 16, len(SOLVENTS))

    def forward(self, spectra):
        return torch.log_softmax(self.head(self.features(spectra.unsqueeze(1))), dim=1)
