"""Two counter-streaming beams of charged particles on a ring of length 1."""
import torch


class Cloud:
    def __init__(self, n, seed, speed=0.2, spread=0.02):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.rand(n, generator=g)
        self.x = (self.x + 0.02 * torch.sin(4 * torch.pi * self.x)) % 1.0
        side = torch.where(torch.arange(n) % 2 == 0, 1.0, -1.0)
        self.v = speed * side + spread * torch.randn(n, generator=g)
        self.q = 1.0 + 0.1 * torch.rand(n, generator=g)

    def push(self, potential, dt):
        cells = len(potential)
        field = -(torch.roll(potential, -1) - torch.roll(potential, 1)) * cells / 2
        at = (self.x * cells).long() % cells
        self.v = self.v + dt * self.q * field[at]
        self.x = (self.x + dt * self.v) % 1.0
