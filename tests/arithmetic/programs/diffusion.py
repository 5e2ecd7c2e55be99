"""Diffusion: a small U-Net with attention, and its sampling."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional


class Emb(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.d = d

    def forward(self, t):
        f = torch.exp(torch.arange(self.d // 2) * (-math.log(10000) / (self.d // 2 - 1)))
        a = t[:, None].float() * f[None]
        return torch.cat([a.sin(), a.cos()], -1)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.t = nn.Sequential(Emb(16), nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 32))
        self.i = nn.Conv2d(1, 16, 3, padding=1)
        self.d = nn.Conv2d(16, 32, 3, 2, 1)
        self.gn = nn.GroupNorm(8, 32)
        self.att = nn.MultiheadAttention(32, 4, batch_first=True)
        self.u = nn.Conv2d(32, 16, 3, padding=1)
        self.o = nn.Conv2d(32, 1, 3, padding=1)
        self.label = nn.Embedding(5, 32)

    def forward(self, x, t, y):
        h0 = self.i(x)
        h = functional.silu(self.gn(self.d(h0)))
        h = h + (self.t(t) + self.label(y))[:, :, None, None]
        s = h.flatten(2).transpose(1, 2)
        s = s + self.att(s, s, s, need_weights=False)[0]
        h = s.transpose(1, 2).view_as(h)
        h = self.u(functional.interpolate(h, scale_factor=2, mode="nearest"))
        return self.o(torch.cat([h, h0], 1))


def train():
    torch.manual_seed(0)
    steps = 50
    beta = torch.linspace(0.0001, 0.02, steps, dtype=torch.float64)
    alpha_bar = torch.cumprod(1 - beta, 0).float()
    m = UNet()
    opt = torch.optim.AdamW(m.parameters(), 0.001, foreach=True)
    x0 = torch.rand(8, 1, 8, 8) * 2 - 1
    y = torch.randint(0, 5, (8,))
    for _ in range(5):
        t = torch.randint(0, steps, (8,))
        n = torch.randn_like(x0)
        ab = alpha_bar[t].view(-1, 1, 1, 1)
        xt = ab.sqrt() * x0 + (1 - ab).sqrt() * n
        drop = torch.rand(8) < 0.1
        loss = functional.mse_loss(m(xt, t, torch.where(drop, 0, y)), n)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        x = torch.randn(2, 1, 8, 8)
        for i in reversed(range(steps - 5, steps)):
            tt = torch.full((2,), i)
            e = m(x, tt, y[:2])
            b = beta[i].float()
            ab = alpha_bar[i]
            x = (x - b / (1 - ab).sqrt() * e) / (1 - b).sqrt() + b.sqrt() * torch.randn_like(x)
            x = x.clamp(-1, 1)
    return (m, loss, x)
