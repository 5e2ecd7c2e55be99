"""Narrow-band recordings of one boat, one interfering ship and the sea."""
import math

import torch

from beamform import BAND, SPACING, SPEED


def arrival(sensors, bearing):
    delay = torch.arange(sensors) * SPACING * math.sin(math.radians(bearing)) / SPEED
    return torch.polar(torch.ones(sensors), -2 * math.pi * BAND * delay)


def envelope(samples, gen, memory=0.9):
    """Slowly varying complex amplitude of an engine."""
    drive = torch.randn(samples, dtype=torch.complex64, generator=gen)
    spectrum = torch.fft.fft(drive)
    freq = torch.fft.fftfreq(samples)
    return torch.fft.ifft(spectrum / (1.0 - memory * torch.polar(torch.ones(samples), -2 * math.pi * freq)))


def record(sensors, samples, gen):
    """Complex pressures (sensors x samples) and the bearing of the boat in degrees."""
    bearing, other = (120.0 * torch.rand(2, generator=gen) - 60.0).tolist()
    boat = torch.outer(arrival(sensors, bearing), envelope(samples, gen))
    ship = 0.5 * torch.outer(arrival(sensors, other), envelope(samples, gen, 0.6))
    sea = 2.0 * torch.randn(sensors, samples, dtype=torch.complex64, generator=gen)
    return boat + ship + sea, bearing
