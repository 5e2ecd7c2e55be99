"""Where the equation is enforced: points inside the domain, on its sides and at time zero."""
import torch
from scipy.stats import qmc


class Rectangle:
    """[0, length] x [0, horizon], filled evenly by a latin hypercube."""

    design = qmc.LatinHypercube(d=2)

    def __init__(self, length=1.0, horizon=1.0):
        self.scale = torch.tensor([length, horizon])

    def inside(self, n):
        unit = torch.from_numpy(self.design.random(n)).float()
        return unit * self.scale

    def initial(self, n):
        x = torch.linspace(0, 1, n)
        return torch.stack([x, torch.zeros(n)], dim=1) * self.scale

    def sides(self, n):
        t = torch.rand(n)
        lo = torch.stack([torch.zeros(n), t], dim=1)
        hi = torch.stack([torch.ones(n), t], dim=1)
        return torch.cat([lo, hi]) * self.scale
