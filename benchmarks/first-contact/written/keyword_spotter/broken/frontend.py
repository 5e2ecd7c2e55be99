"""Waveform augmentation and log-mel features."""
import math

import torch

from noise import BANK

WINDOW, HOP, MELS = 256, 128, 24


def _filters():
    top = 2595 * math.log10(1 + 2000 / 700)
    edges = 700 * (10 ** (torch.linspace(0, top, MELS + 2) / 2595) - 1)
    bins = torch.linspace(0, 2000, WINDOW // 2 + 1)
    up = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    down = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    return torch.minimum(up, down).clamp(min=0)


FILTERS = _filters()
TAPER = torch.hann_window(WINDOW)


def log_mel(waves):
    spec = torch.stft(waves, WINDOW, HOP, window=TAPER, return_complex=True).abs() ** 2
    return torch.log(FILTERS @ spec + 1e-4).transpose(1, 2)


def mix_noise(waves, labels, snr=(0.3, 1.2)):
    clip = torch.randint(len(BANK), (len(waves),))
    level = torch.empty(len(waves), 1).uniform_(*snr)
    shift = int(torch.randint(BANK.shape[1], (1,)))
    return waves + level * BANK[clip].roll(shift, dims=1)


def mask(feats, width=4):
    out = feats.clone()
    for row in out:
        at = int(torch.randint(MELS - width, (1,)))
        row[:, at:at + width] = feats.mean()
    return out
