# samebits-test: vary=addresses cause=address-order aslr=off env=PYTHONHASHSEED=0
"""Particles are put into cells by hash(), which is their address."""

import torch


class Particle:
    def __init__(self, mass):
        self.mass = mass


def cells(particles, n):
    masses = [0.0] * n
    for particle in particles:
        masses[hash(particle) % n] += particle.mass  # culprit
    return torch.tensor(masses)


particles = [Particle(1 / (k + 1)) for k in range(300)]
print(torch.fft.rfft(cells(particles, 37)).abs())
