"""Background recordings: a bank of coloured noise, and mains hum."""
import torch

CLIPS = 24
LENGTH = 4000


def coloured(clips, length, tilt):
    spectrum = torch.fft.rfft(torch.randn(clips, length))
    shape = torch.arange(1, spectrum.shape[1] + 1, dtype=torch.float32) ** -tilt
    clips = torch.fft.irfft(spectrum * shape, n=length)
    return clips / clips.std(1, keepdim=True)


BANK = torch.cat([coloured(CLIPS // 2, LENGTH, 0.5), coloured(CLIPS // 2, LENGTH, 1.0)])


def hum(waves, rate, level=0.05):
    t = torch.arange(waves.shape[1]) / rate
    return waves + level * torch.sin(2 * torch.pi * 50.0 * t)
