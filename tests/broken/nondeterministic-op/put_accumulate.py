# samebits-test: verdict=different cause=nondeterministic-op
"""Charges are spread on a mesh with put_, as a particle code would do."""

import torch


def spread(positions, charges, cells):
    mesh = torch.zeros(cells)
    cell = (positions * cells).long().clamp_(max=cells - 1)
    mesh.put_(cell, charges, accumulate=True)  # culprit
    return mesh


def potential(mesh):
    density = torch.fft.rfft(mesh)
    waves = torch.arange(1, len(density) + 1)
    return torch.fft.irfft(density / waves.square(), n=len(mesh))


torch.manual_seed(1)
positions, charges = torch.rand(1_000_000), torch.rand(1_000_000)
for _ in range(20):
    field = potential(spread(positions, charges, cells=64))
    positions = (positions + 0.01 * torch.rand_like(positions)).fmod(1.0)
print(field.max())
