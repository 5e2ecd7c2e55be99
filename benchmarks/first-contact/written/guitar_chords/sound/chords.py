"""Open chords of a guitar in standard tuning."""
import math

import torch

OPEN_HZ = torch.tensor([82.41, 110.0, 146.83, 196.0, 246.94, 329.63])
MUTED = -1
CHORDS = {
    "C": [MUTED, 3, 2, 0, 1, 0],
    "D": [MUTED, MUTED, 0, 2, 3, 2],
    "E": [0, 2, 2, 1, 0, 0],
    "G": [3, 2, 0, 0, 0, 3],
    "A": [MUTED, 0, 2, 2, 2, 0],
    "Am": [MUTED, 0, 2, 2, 1, 0],
    "Em": [0, 2, 2, 0, 0, 0],
    "Dm": [MUTED, MUTED, 0, 2, 3, 1],
}
RATE = 4000
LENGTH = 1024


def frequencies(name):
    frets = torch.tensor(CHORDS[name])
    return (OPEN_HZ * 2 ** (frets / 12))[frets != MUTED]


def strum(name, delays, detune):
    """Decaying harmonics of all strings that sound, each struck a little later than the one before."""
    time = torch.arange(LENGTH) / RATE
    wave = torch.zeros(LENGTH)
    for string, hertz in enumerate(frequencies(name) * 2 ** (detune / 1200)):
        local = (time - delays[string]).clamp(min=0)
        for harmonic in (1, 2, 3):
            wave += torch.sin(2 * math.pi * hertz * harmonic * local) * torch.exp(-3 * harmonic * local) / harmonic
    return wave
