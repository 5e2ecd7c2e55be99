"""A field of heliostats: mirrors that must keep the sun on the tower while gusts push them."""
from __future__ import annotations

import torch


class MirrorField:
    OBS, ACT = 7, 2

    def __init__(self, mirrors: int, generator: torch.Generator) -> None:
        self.mirrors, self.generator = mirrors, generator
        self.reset()

    def reset(self) -> torch.Tensor:
        g, n = self.generator, self.mirrors
        self.angle = 0.4 * torch.randn(n, 2, generator=g)
        self.speed = torch.zeros(n, 2)
        self.sun = torch.rand(n, generator=g) * 6.28
        self.gust = torch.zeros(n, 2)
        return self.observe()

    def target(self) -> torch.Tensor:
        return 0.5 * torch.stack([self.sun.cos(), (1.3 * self.sun).sin()], dim=1)

    def observe(self) -> torch.Tensor:
        return torch.cat([self.angle, self.speed, self.target() - self.angle, self.gust[:, :1]], dim=1)

    def step(self, action: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        noise = torch.randn(self.mirrors, 2, generator=self.generator)
        self.gust = 0.9 * self.gust + 0.05 * noise
        self.speed = 0.8 * self.speed + 0.15 * action.clamp(-1, 1) + 0.1 * self.gust
        self.angle = self.angle + 0.3 * self.speed
        self.sun = self.sun + 0.02
        miss = (self.target() - self.angle).square().sum(1)
        return self.observe(), -miss - 0.01 * action.square().sum(1)
