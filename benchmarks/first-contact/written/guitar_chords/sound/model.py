import torch
from torch import nn


class ChordNet(nn.Module):
    """Spectrum of the strum, then a small multilayer perceptron."""

    def __init__(self, chords, bins=320, hidden=64):
        super().__init__()
        self.bins = bins
        self.norm = nn.LayerNorm(bins)
        self.layers = nn.Sequential(
            nn.Linear(bins, hidden), nn.ReLU(), nn.Dropout(0.25),
            nn.Linear(hidden, hidden), nn.ReLU(), nn.Dropout(0.25),
            nn.Linear(hidden, chords),
        )

    def forward(self, wave):
        spectrum = torch.fft.rfft(wave).abs()[:, :self.bins]
        return self.layers(self.norm(torch.log1p(spectrum)))


def count_parameters(model):
    return sum(p.numel() for p in model.parameters())
