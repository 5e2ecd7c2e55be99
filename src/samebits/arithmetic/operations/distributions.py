"""Distributions that are drawn by trying until one fits (docs/arithmetic.md, "Random numbers").

Each element has words of its own in each attempt, so that none depends on another. Results have
the shape of the parameters; everything is computed in binary64 and rounded once.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes

from samebits.arithmetic import _exact
from samebits.arithmetic.operations.arguments import demand, require_plain
from samebits.arithmetic.operations.random import Generator, next_key
from samebits.arithmetic.operations.special import log_gamma_of_positive
from samebits.arithmetic.registry import decomposition

_POISSON_BY_COUNTING = 10.0
"""Below this mean the probabilities are added up; from it on Hörmann's rejection is used."""
_MOST_COUNTED = 200


class _Attempts:
    """The words of a call: attempt t of element i has words 4 i … 4 i + 3 under key + t."""

    def __init__(self, op: Any, count: int, generator: Generator) -> None:
        with _disable_current_modes():
            self._key = next_key(op, generator) if count else 0
        self._count = count

    def words(self, attempt: int) -> Tensor:
        """Four words for each element, [4, count], as int64."""
        words = torch.empty(4 * self._count, dtype=torch.int32)
        with _disable_current_modes():
            _exact.random_words(words, (self._key + attempt) % 2**64)
        return (words.long() & 0xFFFFFFFF).view(-1, 4).t()


def _unit_above(word: Tensor) -> Tensor:
    """(0, 1] in steps of 2^-24."""
    return ((word >> 8) + 1).double() * 2.0**-24


def _unit(word: Tensor) -> Tensor:
    """[0, 1) in steps of 2^-24."""
    return (word >> 8).double() * 2.0**-24


def _fine_unit(first: Tensor, second: Tensor) -> Tensor:
    """[0, 1) in steps of 2^-53, of 27 and 26 bits."""
    return ((first >> 5) * 2**26 + (second >> 6)).double() * 2.0**-53


def _gammas(op: Any, alpha: Tensor, generator: Generator) -> Tensor:
    """Marsaglia and Tsang (2000): d v of the first attempt that fits; a factor more below 1."""
    wide = alpha.double().reshape(-1)
    raised = wide < 1
    d = torch.where(raised, wide + 1, wide) - 1 / 3
    c = 1 / torch.sqrt(9 * d)
    attempts = _Attempts(op, wide.numel(), generator)
    found, left = torch.zeros_like(wide), torch.arange(wide.numel())
    attempt = 0
    while left.numel():
        words = attempts.words(attempt)[:, left]
        dh, ch = d[left], c[left]
        radius = torch.sqrt(-2.0 * torch.log(_unit_above(words[0])))
        z = radius * torch.cos(_unit(words[1]) * (2 * math.pi))
        base = 1 + ch * z
        v = base * base * base
        right = 0.5 * (z * z) + dh - dh * v + dh * torch.log(torch.where(base > 0, v, 1.0))
        fits = (base > 0) & (torch.log(_unit_above(words[2])) < right)
        power = torch.pow(_unit_above(words[3]), 1 / wide[left])
        value = torch.where(raised[left], dh * v * power, dh * v)
        unusable = ~(wide[left] > 0) | torch.isinf(wide[left])  # NaN, and what has no distribution
        value = torch.where(unusable, math.nan, value)
        done = fits | unusable
        found[left[done]] = value[done]
        left = left[~done]
        attempt += 1
    return found.view(alpha.shape)


def _held(value: Tensor, dtype: torch.dtype) -> Tensor:
    """Rounded to a dtype, and no smaller than its smallest normal number."""
    return torch.clamp(value.to(dtype), min=torch.finfo(dtype).tiny)


@decomposition("aten._standard_gamma", under_mode=True)
def standard_gamma(op: Any, alpha: Any, generator: Generator = None) -> Tensor:
    """Gamma-distributed numbers of shape alpha and scale 1."""
    _demand_floating(op, alpha)
    return _held(_gammas(op, alpha, generator), alpha.dtype)


@decomposition("aten._sample_dirichlet", under_mode=True)
def dirichlet(op: Any, alpha: Any, generator: Generator = None) -> Tensor:
    """Gamma-distributed numbers, divided by their sum over the last axis."""
    _demand_floating(op, alpha)
    drawn = torch.clamp(_gammas(op, alpha, generator), min=torch.finfo(torch.float64).tiny)
    shares = drawn / drawn.sum(-1, keepdim=True)
    below_one = 1 - torch.finfo(alpha.dtype).eps / 2
    return torch.clamp(_held(shares, alpha.dtype), max=below_one)


def _demand_floating(op: Any, x: Tensor) -> None:
    require_plain(op, [x])  # before a key is drawn: what is refused moves no generator
    demand(x.is_floating_point(), op, f"needs floating numbers, not {x.dtype}")


def _counted(mean: Tensor, u: Tensor) -> Tensor:
    """The first k at which the sum of probabilities is above u."""
    probability = torch.exp(-mean)
    total, found = probability, torch.zeros_like(mean)
    for k in range(1, _MOST_COUNTED + 1):
        beyond = u >= total
        if not bool(beyond.any()):
            break
        found = torch.where(beyond, float(k), found)
        probability = probability * mean / k
        total = total + probability
    return found


@decomposition("aten.poisson", under_mode=True)
def poisson(op: Any, mean: Any, generator: Generator = None) -> Tensor:
    """Counts with these means: inversion below 10, else Hörmann's PTRS (1993)."""
    _demand_floating(op, mean)
    demand(bool((mean >= 0).all()), op, "means must not be negative")
    wide = mean.double().reshape(-1)
    attempts = _Attempts(op, wide.numel(), generator)
    found = torch.zeros_like(wide)
    if wide.numel():
        words = attempts.words(0)
        small = wide < _POISSON_BY_COUNTING
        found[small] = _counted(wide[small], _fine_unit(words[0], words[1])[small])
        left = torch.nonzero(~small).view(-1)
    else:
        left = torch.arange(0)
    attempt = 0
    while left.numel():
        words = attempts.words(attempt)[:, left]
        rate = wide[left]
        b = 0.931 + 2.53 * torch.sqrt(rate)
        a = -0.059 + 0.02483 * b
        u = _fine_unit(words[0], words[1]) - 0.5
        v = 1 - _fine_unit(words[2], words[3])
        side = 0.5 - torch.abs(u)
        k = torch.floor((2 * a / side + b) * u + rate + 0.43)
        inside = (side >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
        outside = (k < 0) | ((side < 0.013) & (v > side))
        # Where it lies outside nothing is asked of k.
        held = torch.where(k < 0, 0.0, k)
        left_side = torch.log(v * (1.1239 + 1.1328 / (b - 3.4)) / (a / (side * side) + b))
        right_side = held * torch.log(rate) - rate - log_gamma_of_positive(held + 1)
        fits = inside | (~outside & (left_side <= right_side))
        found[left[fits]] = k[fits]
        left = left[~fits]
        attempt += 1
    return found.view(mean.shape).to(mean.dtype)
