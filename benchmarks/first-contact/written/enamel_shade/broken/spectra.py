"""Synthetic reflectance spectra of enamel and the CIELAB-like shade that goes with them."""
import torch

BANDS = 31


def make_spectra(count, seed):
    g = torch.Generator().manual_seed(seed)
    wave = torch.linspace(0, 1, BANDS)
    age, stain, gloss = torch.rand(3, count, 1, generator=g)
    base = 0.75 - 0.2 * age + 0.15 * wave
    dip = stain * 0.35 * torch.exp(-((wave - 0.2) / 0.18) ** 2)
    ripple = 0.03 * gloss * torch.sin(14 * wave + 3 * gloss)
    spectra = base - dip + ripple + 0.015 * torch.randn(count, BANDS, generator=g)
    lab = torch.cat([82 - 14 * age - 6 * stain, 1 + 5 * age * stain, 12 + 14 * stain + 4 * age],
                    dim=1)
    return spectra, lab + 0.3 * torch.randn(lab.shape, generator=g)
