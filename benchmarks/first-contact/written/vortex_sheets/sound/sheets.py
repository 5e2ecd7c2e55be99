"""Rolls vortex sheets up and keeps what a probe would see of them."""
import torch

from kernels import strain, stream, velocity
from tuning import Tuned

velocity, strain, stream = Tuned(velocity), Tuned(strain), Tuned(stream)


def sheet(count, generator):
    along = torch.linspace(0, 1, count)
    a, b, c = torch.rand(3, generator=generator).tolist()
    height = 0.05 * a * torch.sin(6.2832 * (along + c)) + 0.02 * b * torch.sin(12.566 * along)
    strength = (1 + 0.5 * torch.cos(6.2832 * (along - b))) / count
    return torch.stack([along, height], dim=1), strength


def roll_up(count, generator, steps=6, dt=0.02, probes=160):
    """Pairs of (where, how long, how it began) and (velocity, strain, stream function) there."""
    where, strength = sheet(count, generator)
    began = where[:: count // 8, 1][:8]
    inputs, outputs = [], []
    for step in range(steps):
        half = where + 0.5 * dt * velocity(where, where, strength)
        where = where + dt * velocity(half, where, strength)
        probe = torch.rand(probes, 2, generator=generator) * torch.tensor([1.0, 0.5]) - torch.tensor([0.0, 0.25])
        seen = [velocity(probe, where, strength), 0.1 * strain(probe, where, strength), stream(probe, where, strength)]
        age = torch.full((probes, 1), step * dt)
        inputs.append(torch.cat([probe, age, 10 * began.expand(probes, 8)], dim=1))
        outputs.append(torch.cat(seen, dim=1))
    return torch.cat(inputs), torch.cat(outputs)


def report():
    for tuned in (velocity, strain, stream):
        tuned.report()
