"""Losses of margins, and distances between rows (docs/arithmetic.md, "Losses").

Inputs of losses are [N, classes] or [classes], their targets [N] or none, or for several labels
like the inputs. Distances between [*, P, D] and [*, R, D] are [*, P, R].
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic import _exact
from samebits.arithmetic.operations.formulas import formula, single_floats
from samebits.arithmetic.operations.losses import MEAN, NONE
from samebits.arithmetic.operations.neighbours import BLOCK
from samebits.arithmetic.registry import decomposition

_CHUNK = 1 << 22
"""Differences held at a time."""


def _reduced(values: Tensor, reduction: int) -> Tensor:
    if reduction == NONE:
        return values
    return values.mean() if reduction == MEAN else values.sum()


@formula("aten.soft_margin_loss")
def soft_margin_loss(x: Tensor, y: Tensor, reduction: int = MEAN) -> Tensor:
    """log1p(exp(−y x))."""
    return _reduced(torch.log1p(torch.exp(-y * x)), reduction)


@formula("aten.soft_margin_loss_backward")
def soft_margin_loss_backward(grad: Tensor, x: Tensor, y: Tensor, reduction: int) -> Tensor:
    """Grad (−y sigmoid(−y x))."""
    slope = -y * torch.sigmoid(-y * x)
    return (grad / x.numel() if reduction == MEAN else grad) * slope


def _rows(x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    rows = x if x.ndim == 2 else x.view(1, -1)
    index = target.reshape(-1)
    if index.shape[0] != rows.shape[0]:
        raise RuntimeError(f"{index.shape[0]} targets for {rows.shape[0]} rows")
    if index.numel() and not 0 <= int(index.min()) <= int(index.max()) < rows.shape[1]:
        raise RuntimeError(f"a target lies outside of {rows.shape[1]} classes")
    return rows, index.unsqueeze(1)


@formula("aten.multi_margin_loss")
def multi_margin_loss(
    x: Tensor, target: Tensor, p: Any = 1, margin: Any = 1, weight: Tensor | None = None,
    reduction: int = MEAN,
) -> Tensor:  # fmt: skip
    """The sum of z or z² over the other classes, z = margin − x[target] + x, divided by all."""
    rows, index = _rows(x, target)
    values = (margin - rows.gather(1, index) + rows).clamp(min=0)
    values = values if p == 1 else values * values
    if weight is not None:
        values = values * weight[index]
    values = values.scatter(1, index, 0.0).sum(1) / rows.shape[1]
    return _reduced(values.view(target.shape), reduction)


@formula("aten.multi_margin_loss_backward")
def multi_margin_loss_backward(
    grad: Tensor, x: Tensor, target: Tensor, p: Any, margin: Any, weight: Tensor | None = None,
    reduction: int = MEAN,
) -> Tensor:  # fmt: skip
    """1 or 2 z where z is above 0, divided by the classes; the target's is minus their sum."""
    rows, index = _rows(x, target)
    excess = margin - rows.gather(1, index) + rows
    slope = torch.where(excess > 0, torch.ones_like(excess) if p == 1 else 2 * excess, 0.0)
    if weight is not None:
        slope = slope * weight[index]
    slope = slope.scatter(1, index, 0.0) / rows.shape[1]
    slope = slope.scatter(1, index, -slope.sum(1, keepdim=True))
    own = grad / rows.shape[0] if reduction == MEAN else grad
    return (own.reshape(-1, 1) * slope).view(x.shape)


def _targets(x: Tensor, target: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Rows, the targets before the first −1 (0 for others), and which of them count."""
    rows, index = (t if t.ndim == 2 else t.view(1, -1) for t in (x, target))
    if rows.shape != index.shape:
        raise RuntimeError(f"targets of {list(target.shape)} for {list(x.shape)}")
    counted = ((index < 0).cumsum(1) == 0) & (index >= 0)
    if index.numel() and int(index.max()) >= rows.shape[1]:
        raise RuntimeError(f"a target lies outside of {rows.shape[1]} classes")
    return rows, torch.where(counted, index, 0), counted


def _excess(rows: Tensor, index: Tensor, named: Tensor, counted: Tensor) -> Tensor:
    """[N, targets, classes]: 1 − x[target] + x where above 0, for classes that are no targets."""
    excess = 1 - rows.gather(1, index).unsqueeze(2) + rows.unsqueeze(1)
    usable = counted.unsqueeze(2) & (named == 0).unsqueeze(1)
    return torch.where(usable & (excess > 0), excess, 0.0)


@formula("aten.multilabel_margin_loss_forward")
def multilabel_margin_loss(x: Tensor, target: Tensor, reduction: int) -> tuple[Tensor, Tensor]:
    """The sum over targets and other classes of max(0, 1 − x[target] + x), divided by all."""
    if x.ndim and not x.shape[-1]:
        raise RuntimeError("the loss wants a class at least")
    rows, index, counted = _targets(x, target)
    named = torch.zeros(rows.shape, dtype=torch.int64)
    named = named.scatter_add(1, index, counted.long()).clamp(max=1)
    values = _excess(rows, index, named, counted).sum((1, 2)) / rows.shape[1]
    return _reduced(values.view(x.shape[:-1]), reduction), named.to(x.dtype).view(x.shape)


@formula("aten.multilabel_margin_loss_backward")
def multilabel_margin_loss_backward(
    grad: Tensor, x: Tensor, target: Tensor, reduction: int, named: Tensor
) -> Tensor:
    """How often a class counts, less how often it counts as a target, divided by all; grad."""
    rows, index, counted = _targets(x, target)
    counts = (_excess(rows, index, named.view(rows.shape), counted) > 0).long()
    times = counts.sum(1).scatter_add(1, index, -counts.sum(2))
    own = grad / rows.shape[0] if reduction == MEAN else grad
    return (own.reshape(-1, 1) * (times.to(x.dtype) / rows.shape[1])).view(x.shape)


def _chunks(x: Tensor, y: Tensor) -> int:
    return max(1, _CHUNK // max(1, y.numel()))


def _distances_at_once(
    x: Tensor, y: Tensor, p: float = 2, compute_mode: int | None = None
) -> Tensor | None:
    """The same where a kernel takes the tensors as they are."""
    return _distances(x, y) if single_floats(x, y) and _is_plain(x, y, p) else None


def _is_plain(x: Tensor, y: Tensor, p: float) -> bool:
    """Whether there is a kernel for this order and these shapes."""
    return bool(
        p == 2
        and x.numel()
        and y.numel()
        and x.shape[-1] <= BLOCK
        and x.shape[:-2] == y.shape[:-2]
        and x.dtype == y.dtype
    )


@formula("aten._cdist_forward", first=_distances_at_once)
def cdist(x: Tensor, y: Tensor, p: float, compute_mode: int | None) -> Tensor:
    """The norm of the difference of each pair of rows."""
    if _is_plain(x, y, p):
        return _distances(x, y)
    parts = [
        torch.linalg.vector_norm(part.unsqueeze(-2) - y.unsqueeze(-3), p, -1)
        for part in torch.split(x, _chunks(x, y), -2)
    ]
    return torch.cat(parts, -2)


def _distances(x: Tensor, y: Tensor) -> Tensor:
    """`cdist` of order 2, [..., N, M] of [..., N, D] and [..., M, D], D not above `BLOCK`."""
    found = torch.empty((*x.shape[:-1], y.shape[-2]), dtype=x.dtype)
    batches = math.prod(x.shape[:-2])
    lines = (t.contiguous().view(batches, *t.shape[-2:]) for t in (x, y))
    _exact.distances(found, *lines)
    return found


@formula("aten._euclidean_dist", first=_distances_at_once)
def euclidean_distance(x: Tensor, y: Tensor) -> Tensor:
    """`cdist` of order 2."""
    return cdist(x, y, 2, None)


@formula("aten._cdist_backward")
def cdist_backward(grad: Tensor, x: Tensor, y: Tensor, p: float, distance: Tensor) -> Tensor:
    """The sum over y of grad times the derivative of the norm; 0 where the distance is 0."""
    step = _chunks(x, y)
    parts = []
    for own, part, far in zip(
        *(torch.split(t, step, -2) for t in (grad, x, distance)), strict=True
    ):
        apart = part.unsqueeze(-2) - y.unsqueeze(-3)
        slope = _slope(own.unsqueeze(-1), apart, p, far.unsqueeze(-1))
        parts.append(slope.sum(-2))
    return torch.cat(parts, -2)


def _pairs(x: Tensor) -> tuple[Tensor, Tensor]:
    """The rows of each pair, one before the other: (0, 1), (0, 2), …, (1, 2), …."""
    if x.ndim != 2:
        raise RuntimeError(f"pdist wants a matrix of rows, not {x.ndim} axes")
    first, second = torch.triu_indices(len(x), len(x), 1)
    return first, second


@formula("aten._pdist_forward")
def pdist(x: Tensor, p: float = 2.0) -> Any:
    """The norm of the difference of each pair of rows."""
    first, second = _pairs(x)
    return torch.linalg.vector_norm(x[first] - x[second], p, -1)


@formula("aten._pdist_backward")
def pdist_backward(grad: Tensor, x: Tensor, p: float, distance: Tensor) -> Tensor:
    """Each pair's derivative added to its first row, then, negated, each to its second one."""
    first, second = _pairs(x)
    slope = _slope(grad.unsqueeze(1), x[first] - x[second], p, distance.unsqueeze(1))
    return torch.zeros_like(x).index_add(0, torch.cat([first, second]), torch.cat([slope, -slope]))


def _slope(give: Tensor, apart: Tensor, p: float, size: Tensor) -> Tensor:
    """The derivative of the norm of `apart`, which is `size`, times `give`; 0 where that is 0."""
    if p == 0:
        return torch.zeros_like(apart)
    if p == 1:
        return torch.sign(apart) * give
    if p == math.inf:
        return torch.where(torch.abs(apart) == size, torch.sign(apart) * give, 0.0)
    if p == 2:
        return torch.where(size == 0, 0.0, give * apart / size)
    power = torch.pow(torch.abs(apart), p - 1) / torch.pow(size, p - 1)
    return torch.where((size == 0) | (apart == 0), 0.0, torch.sign(apart) * power * give)


def _held(x: Tensor, bound: float, size: Tensor) -> Tensor:
    return torch.where(size > bound, x * (bound / (size + 1e-7)), x)


@formula("aten.renorm")
def renorm(x: Tensor, p: float, dim: int, bound: float) -> Tensor:
    """Slices whose norm is above the bound, times bound / (norm + 1e-7)."""
    if x.ndim < 2:
        raise RuntimeError(f"renorm wants two axes or more, not {x.ndim}")
    axes = [axis for axis in range(x.ndim) if axis != dim % x.ndim]
    return _held(x, bound, torch.linalg.vector_norm(x, p, axes, keepdim=True))


@decomposition("aten.embedding_renorm_", under_mode=True)
def embedding_renorm(op: Any, table: Tensor, index: Tensor, bound: float, p: float) -> Tensor:
    """`renorm` of the rows that an index names, each once, in place."""
    rows = torch.unique(index.reshape(-1))
    picked = table.index_select(0, rows)
    wide = picked.float() if picked.dtype in (torch.float16, torch.bfloat16) else picked
    held = _held(wide, bound, torch.linalg.vector_norm(wide, p, 1, keepdim=True))
    return table.index_copy_(0, rows, held.to(table.dtype))
