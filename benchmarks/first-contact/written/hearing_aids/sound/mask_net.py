"""The mask estimator: dilated convolutions over time, small enough for the device."""
import torch
from torch import nn

from mixtures import N_FFT

BINS = N_FFT // 2 + 1


class Residual(nn.Module):
    def __init__(self, width, dilation):
        super().__init__()
        self.norm = nn.GroupNorm(4, width)
        self.conv = nn.Conv1d(width, width, kernel_size=3, padding=dilation, dilation=dilation)
        self.mix = nn.Conv1d(width, width, kernel_size=1)

    def forward(self, x):
        return x + self.mix(torch.relu(self.conv(self.norm(x))))


class MaskNet(nn.Module):
    def __init__(self, width=56, dilations=(1, 2, 4)):
        super().__init__()
        self.enter = nn.Conv1d(BINS, width, kernel_size=5, padding=2)
        self.body = nn.Sequential(*(Residual(width, dilation) for dilation in dilations))
        self.leave = nn.Conv1d(width, BINS, kernel_size=1)

    def forward(self, features):
        return torch.sigmoid(self.leave(self.body(torch.relu(self.enter(features)))))


def apply_mask(mask, noisy, floor=0.05):
    """A floor under the mask: total silence between words is disliked by listeners."""
    return noisy * (floor + (1.0 - floor) * mask)


def snr_db(estimate, clean):
    signal = (clean ** 2).sum(dim=(1, 2))
    error = ((estimate - clean) ** 2).sum(dim=(1, 2))
    return 10.0 * torch.log10(signal / (error + 1e-9))
