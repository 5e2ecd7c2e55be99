"""Scans: what every value comes to with all before it (docs/arithmetic.md, "Running sums").

Results have the shape of x.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic import _exact
from samebits.arithmetic.kernels import FLOATING, converted, is_float
from samebits.arithmetic.operations.arguments import require_plain
from samebits.arithmetic.operations.formulas import formula
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import kernel, name_of

Dtype = torch.dtype | None

SUM, PRODUCT, LOG_SUM_EXP = 0, 1, 2
"""What a scan keeps."""


def along(x: Tensor, dim: int) -> Tensor:
    """[outer, n, inner], row-major, for an axis in the middle."""
    if not x.ndim:
        return x.reshape(1, 1, 1)
    dim %= x.ndim
    return x.contiguous().view(
        math.prod(x.shape[:dim]), x.shape[dim], math.prod(x.shape[dim + 1 :])
    )


def scanned(x: Tensor, dim: int, kind: int) -> Tensor:
    """A scan along an axis.

    Args:
        x: float32 or float64; for LOG_SUM_EXP float32.
        dim: The axis, as torch counts.
        kind: SUM, PRODUCT or LOG_SUM_EXP.

    Returns:
        A new row-major tensor of x's shape and dtype.
    """
    lines = along(x, dim)
    found = torch.empty_like(lines)
    _exact.scan(found, lines, kind)
    return found.view(x.shape)


def require_axis(name: str, x: Tensor, dim: int) -> None:
    """Refuse an axis that a tensor does not have.

    Raises:
        IndexError: There is none of this number.
    """
    axes = max(x.ndim, 1)
    if not -axes <= dim < axes:
        raise IndexError(f"{name}: there is no axis {dim} among {axes}")


@kernel("aten.cumsum", "aten.cumprod")
def running(op: Any, x: Tensor, dim: int, *, dtype: Dtype = None) -> Tensor:
    """The scan by sums or products in binary64; each result rounded to the dtype."""
    target = dtype or x.dtype
    if not (target.is_floating_point or target.is_complex or is_float(x)):
        return op(x, dim, dtype=dtype)  # type: ignore[no-any-return]
    require_plain(op, [x])
    if target not in FLOATING:
        raise not_exact(name_of(op), f"there is no kernel for {target}".replace("torch.", ""))
    require_axis(name_of(op), x, dim)
    # A half is rounded once, from binary64.
    wide = converted(x, target)
    wide = wide if target in (torch.float32, torch.float64) else converted(wide, torch.float64)
    kind = PRODUCT if name_of(op) == "aten.cumprod" else SUM
    return converted(scanned(wide, dim, kind), target)


@formula("aten.logcumsumexp")
def logcumsumexp(x: Tensor, dim: int) -> Tensor:
    """The scan of pairs of a maximum and a sum of exponentials below it."""
    require_axis("aten.logcumsumexp", x, dim)
    if not x.numel():
        return x.clone()
    if x.dtype == torch.float32:
        return scanned(x, dim, LOG_SUM_EXP)
    lines = along(x, dim)
    most, sums = _scanned_pairs(lines, torch.ones_like(lines))
    return (torch.log(sums) + most).view(x.shape)


def _scanned_pairs(most: Tensor, sums: Tensor) -> tuple[Tensor, Tensor]:
    """The same scan in torch's functions, along the middle axis of [outer, n, inner]."""
    outer, count, inner = most.shape
    blocks = -(-count // 64)
    room = (0, 0, 0, blocks * 64 - count)
    shape = (outer, blocks, 64, inner)
    most = torch.nn.functional.pad(most, room, value=-math.inf).view(shape)
    sums = torch.nn.functional.pad(sums, room).view(shape)
    for step in (1, 2, 4, 8, 16, 32):
        halves = (outer, blocks, 32 // step, 2, step, inner)
        m, s = most.view(halves), sums.view(halves)
        before = m[..., :1, -1:, :], s[..., :1, -1:, :]
        joined = _joined(*before, m[..., 1:, :, :], s[..., 1:, :, :])
        most = torch.cat([m[..., :1, :, :], joined[0]], 3).view(shape)
        sums = torch.cat([s[..., :1, :, :], joined[1]], 3).view(shape)
    if blocks > 1:
        totals = _scanned_pairs(most[:, :-1, -1], sums[:, :-1, -1])
        before = totals[0].unsqueeze(2), totals[1].unsqueeze(2)
        rest = _joined(*before, most[:, 1:], sums[:, 1:])
        most = torch.cat([most[:, :1], rest[0]], 1)
        sums = torch.cat([sums[:, :1], rest[1]], 1)
    return tuple(t.reshape(outer, -1, inner)[:, :count] for t in (most, sums))  # type: ignore[return-value]


def _joined(m: Tensor, s: Tensor, n: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
    """The larger maximum; its sum, and the other one times the exponential of what lies between."""
    larger = m > n
    most, least = torch.where(larger, m, n), torch.where(larger, n, m)
    fading = torch.exp(torch.where(m == n, 0.0, least - most))
    return most, fading * torch.where(larger, t, s) + torch.where(larger, s, t)
