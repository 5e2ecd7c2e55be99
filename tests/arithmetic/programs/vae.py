"""An autoencoder with unpooling: distributions, fused Adagrad."""

from __future__ import annotations

import torch
from torch import nn
from torch.distributions import Bernoulli, Independent, Normal, kl_divergence
from torch.nn import functional


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool2d(2, return_indices=True)
        self.unpool = nn.MaxUnpool2d(2)
        self.c = nn.Conv2d(1, 8, 3, padding=1)
        self.enc = nn.Linear(8 * 16, 2 * 6)
        self.dec = nn.Linear(6, 8 * 16)
        self.out = nn.ConvTranspose2d(8, 1, 3, padding=1)

    def forward(self, x):
        h, idx = self.pool(functional.elu(self.c(x)))
        mu, raw = self.enc(h.flatten(1)).chunk(2, 1)
        q = Normal(mu, functional.softplus(raw) + 0.0001)
        z = q.rsample()
        y = self.unpool(self.dec(z).view_as(h), idx)
        return (Independent(Bernoulli(logits=self.out(functional.elu(y))), 3), q, z)


def train():
    torch.manual_seed(0)
    m = VAE()
    opt = torch.optim.Adagrad(m.parameters(), 0.01, fused=True)
    x = (torch.rand(16, 1, 8, 8) > 0.5).float()
    for _ in range(5):
        p, q, _z = m(x)
        kl = kl_divergence(q, Normal(torch.zeros_like(q.loc), torch.ones_like(q.scale))).sum(1)
        loss = -(p.log_prob(x) - kl).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        s = p.sample()
        iw = torch.logsumexp(p.log_prob(x) - kl, 0)
    return (m, loss, s, iw)
