"""Factorised noisy layers (NoisyNet): exploration by noise in the weights."""

import itertools
import math
import weakref

import torch
from torch import nn
from torch.nn import functional as F


class NoisyLinear(nn.Module):
    _serial = itertools.count()
    live = weakref.WeakValueDictionary()

    def __init__(self, inputs, outputs, sigma=0.5):
        super().__init__()
        bound = 1 / math.sqrt(inputs)
        self.mu = nn.Parameter(torch.empty(outputs, inputs).uniform_(-bound, bound))
        self.mu_bias = nn.Parameter(torch.empty(outputs).uniform_(-bound, bound))
        self.sigma = nn.Parameter(torch.full((outputs, inputs), sigma * bound))
        self.sigma_bias = nn.Parameter(torch.full((outputs,), sigma * bound))
        self.register_buffer("eps_in", torch.zeros(inputs))
        self.register_buffer("eps_out", torch.zeros(outputs))
        NoisyLinear.live[next(NoisyLinear._serial)] = self

    @staticmethod
    def _scaled(size):
        x = torch.randn(size)
        return x.sign() * x.abs().sqrt()

    def resample(self):
        self.eps_in.copy_(self._scaled(self.eps_in.numel()))
        self.eps_out.copy_(self._scaled(self.eps_out.numel()))

    def forward(self, x):
        if not self.training:
            return F.linear(x, self.mu, self.mu_bias)
        weight = self.mu + self.sigma * torch.outer(self.eps_out, self.eps_in)
        return F.linear(x, weight, self.mu_bias + self.sigma_bias * self.eps_out)


def resample_all():
    """New noise in every noisy layer that is in use, online and target nets alike."""
    for layer in list(NoisyLinear.live.values()):
        layer.resample()
