"""Special functions that are formulas in binary64 (docs/arithmetic.md, "Functions").

They have the shape of x. In float32 and the halves the formula's value is rounded once to float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.operations.formulas import formula
from samebits.arithmetic.refusal import not_exact

_ZETAS = tuple(map(float.fromhex, """
    0x1.4a34cc4a60fa6p-2 -0x1.13e001a557607p-4 0x1.51322ac7d8483p-6 -0x1.e404fc218f5f2p-8
    0x1.7add6eadb6c30p-9 -0x1.38ac5c2bf8e08p-10 0x1.0b36af86396e9p-11 -0x1.d3fd4c76d2fc8p-13
    0x1.a127b0f17d65ap-14 -0x1.78de5bd7c81efp-15 0x1.580dcee66eb02p-16 -0x1.3cbc963ce2243p-17
    0x1.2597a39f34aacp-18 -0x1.11b2eb7679541p-19 0x1.0064cdeb22f0fp-20 -0x1.e2600d93cfd2fp-22
    0x1.c76bbb3f07a4dp-23 -0x1.af5a6cbbf8a97p-24 0x1.99b93c2070b0fp-25 -0x1.862c734df3eacp-26
    0x1.7469daccfadcdp-27 -0x1.6434a8447aeadp-28 0x1.555a877ffd2c3p-29 -0x1.47b1679258d0ep-30
    0x1.3b15d2b2fc10cp-31 -0x1.2f69a9fabe3e0p-32
""".split()))  # fmt: skip  # noqa: SIM905
"""(−1)ᵏ (ζ(k) − 1) ÷ k for k = 2 … 27, each rounded once."""
_ONE_LESS_EULER = float.fromhex("0x1.b0ee6072093cep-2")
_HALF_LOG_TWO_PI = float.fromhex("0x1.d67f1c864beb5p-1")
_LOG_GAMMA = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
"""Stirling's series of log Γ, for 1 ÷ x, 1 ÷ x³, …"""
_DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
_TRIGAMMA = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


def horner(coefficients: tuple[float, ...], x: Tensor) -> Tensor:
    """c₀ + x (c₁ + x (c₂ + …)), from the last one on."""
    found = torch.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        found = coefficient + x * found
    return found


def _in_binary64(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    def run(x: Tensor) -> Tensor:
        dtype = x.dtype if x.is_floating_point() else torch.get_default_dtype()
        return function(x.double()).to(dtype)

    return run


def _near_two(z: Tensor) -> Tensor:
    """Log Γ(2 + z) for |z| ≤ ½."""
    return z * _ONE_LESS_EULER + z * z * horner(_ZETAS, z)


def log_gamma_of_positive(a: Tensor) -> Tensor:
    """Log Γ(a) for a ≥ 0 in binary64."""
    steps = torch.clamp(torch.floor(a - 1.5), 0, 6)
    product = torch.ones_like(a)
    for step in range(1, 7):
        product = torch.where(steps >= step, product * (a - step), product)
    middle = _near_two(a - steps - 2.0) + torch.log(product)
    inverse = 1 / a
    far = (a - 0.5) * torch.log(a) - a + _HALF_LOG_TWO_PI
    far = far + inverse * horner(_LOG_GAMMA, inverse * inverse)
    found = torch.where(a < 8, middle, far)
    less = a - 1.0
    found = torch.where(a < 1.5, _near_two(less) - torch.log1p(less), found)
    found = torch.where(a < 0.5, _near_two(a) - torch.log1p(a) - torch.log(a), found)
    return torch.where(a == math.inf, a, found)


def _from_whole(a: Tensor) -> Tensor:
    """π times what is left of a beside the nearest whole number."""
    return (a - torch.round(a)) * math.pi


def log_gamma(x: Tensor) -> Tensor:
    """Log |Γ(x)| in binary64: below zero log(π ÷ (a |sin πa|)) − log Γ(a), a = |x|."""
    a = torch.abs(x)
    positive = log_gamma_of_positive(a)
    negative = torch.log(math.pi / (a * torch.abs(torch.sin(_from_whole(a))))) - positive
    negative = torch.where(a < 1e-17, -torch.log(a), negative)
    negative = torch.where(a == torch.floor(a), math.inf, negative)
    return torch.where(x < 0, negative, positive)


def digamma(x: Tensor) -> Tensor:
    """The derivative of log Γ in binary64; below zero ψ(1 + a) + π cot(πa), a = |x|."""
    a = torch.abs(x)
    y = torch.where(x < 0, a + 1, a)
    less = torch.zeros_like(y)
    for _ in range(10):
        small = y < 10
        less = torch.where(small, less + 1 / y, less)
        y = torch.where(small, y + 1, y)
    inverse = 1 / y
    square = inverse * inverse
    found = torch.log(y) - 0.5 * inverse - square * horner(_DIGAMMA, square) - less
    angle = _from_whole(a)
    turned = found + math.pi * (torch.cos(angle) / torch.sin(angle))
    turned = torch.where(a == torch.floor(a), math.nan, turned)
    found = torch.where(x < 0, turned, found)
    return torch.where(x == 0, -torch.copysign(torch.full_like(x, math.inf), x), found)


def trigamma(x: Tensor) -> Tensor:
    """The derivative of ψ in binary64; below zero (π ÷ sin πa)² less that of 1 + a, a = |x|."""
    a = torch.abs(x)
    y = torch.where(x < 0, a + 1, a)
    more = torch.zeros_like(y)
    for _ in range(10):
        small = y < 10
        inverse = 1 / y
        more = torch.where(small, more + inverse * inverse, more)
        y = torch.where(small, y + 1, y)
    inverse = 1 / y
    square = inverse * inverse
    found = inverse + 0.5 * square + inverse * square * horner(_TRIGAMMA, square) + more
    side = math.pi / torch.sin(_from_whole(a))
    return torch.where(x < 0, side * side - found, found)


def erfinv(x: Tensor) -> Tensor:
    """The y with erf(y) = x in binary64: Winitzki's formula, then two of Halley's steps."""
    a = torch.abs(x)
    rest = 1 - a
    part = torch.log(rest * (1 + a))
    t = 2 / (math.pi * 0.147) + part * 0.5
    y = torch.sqrt(torch.sqrt(t * t - part / 0.147) - t)
    y = torch.where(a < 0.1, a * (math.sqrt(math.pi) / 2), y)
    for _ in range(2):
        off = torch.where(a < 0.5, torch.erf(y) - a, rest - torch.erfc(y))
        step = off / (torch.exp(-y * y) * (2 / math.sqrt(math.pi)))
        y = y - step / (1 + y * step)
    y = torch.where(a == 1, math.inf, torch.where(a > 1, math.nan, y))
    return torch.copysign(y, x) * 1.0


def bessel(x: Tensor, order: int) -> Tensor:
    """e^−|x| times the modified Bessel function I₀ or I₁, in binary64; two series."""
    a = torch.abs(x)
    quarter = a * a * 0.25
    near, far = torch.ones_like(a), torch.ones_like(a)
    for k in range(64, 0, -1):
        near = 1 + near * quarter / (k * (k + order))
    for k in range(30, 0, -1):
        far = 1 - far * (4 * order - (2 * k - 1) ** 2) / (8 * k * a)
    near = near * torch.exp(-a)
    near = a * 0.5 * near if order else near
    found = torch.where(a < 30, near, far / torch.sqrt(a * (2 * math.pi)))
    return torch.copysign(found, x) if order else found


def _grown(x: Tensor, order: int) -> Tensor:
    half = torch.exp(torch.abs(x) * 0.5)
    found = bessel(x, order) * half * half
    return torch.where(torch.isinf(x), torch.abs(x) if order == 0 else x, found)


for _name, _function in {
    "lgamma": log_gamma,
    "digamma": digamma,
    "erfinv": erfinv,
    "i0": lambda x: _grown(x, 0),
    "special_i0e": lambda x: bessel(x, 0),
    "special_i1": lambda x: _grown(x, 1),
    "special_i1e": lambda x: bessel(x, 1),
}.items():
    formula(f"aten.{_name}")(_in_binary64(_function))


@formula("aten.polygamma")
def polygamma(order: int, x: Any) -> Tensor:
    """ψ and its derivative; those of higher order are not defined."""
    if order not in (0, 1):
        raise not_exact("aten.polygamma", f"the order {order} is not defined")
    return _in_binary64(digamma if order == 0 else trigamma)(x)
