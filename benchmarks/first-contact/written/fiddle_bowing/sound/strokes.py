"""Made-up notes on a fiddle, one bow stroke each, as log spectrograms."""
import math

import torch
from torch.utils.data import Dataset

STROKES = ("detache", "legato", "martele", "spiccato", "tremolo")
RATE, LENGTH = 4000, 4000


def envelope(stroke, t, g):
    speed = 1 + 0.3 * torch.rand((), generator=g)
    if stroke == "detache":
        return (t * 20).clamp(max=1) * (1 - 0.4 * t)
    if stroke == "legato":
        return torch.sin(math.pi * t) ** 0.7
    if stroke == "martele":
        return 0.3 + 0.9 * torch.exp(-9 * speed * t)
    if stroke == "spiccato":
        return torch.exp(-12 * ((4 * speed * t) % 1))
    return 0.6 + 0.4 * torch.sin(2 * math.pi * 11 * speed * t)


def play(stroke, g):
    t = torch.arange(LENGTH) / LENGTH
    pitch = 196 * 2 ** (torch.randint(0, 20, (), generator=g) / 12)
    note = torch.zeros(LENGTH)
    for harmonic in range(1, 7):
        phase = 2 * math.pi * torch.rand((), generator=g)
        note += torch.sin(2 * math.pi * pitch * harmonic * t * LENGTH / RATE + phase) / harmonic
    return envelope(stroke, t, g) * note + 1.5 * torch.randn(LENGTH, generator=g)


class Notes(Dataset):
    def __init__(self, count, seed):
        g = torch.Generator().manual_seed(seed)
        window = torch.hann_window(256)
        self.labels = torch.randint(0, len(STROKES), (count,), generator=g)
        waves = torch.stack([play(STROKES[int(label)], g) for label in self.labels])
        spectra = torch.stft(waves, 256, 128, window=window, return_complex=True).abs()
        self.spectra = spectra[:, :64].log1p().unsqueeze(1)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.spectra[i], self.labels[i]


def mask_bands(x, widest=8):
    """SpecAugment-like: one frequency band of every batch goes silent."""
    width = int(torch.randint(1, widest, ()))
    low = int(torch.randint(0, x.shape[2] - width, ()))
    x = x.clone()
    x[:, :, low:low + width] = 0
    return x
