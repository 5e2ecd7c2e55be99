"""Losses that torch computes in one operation (docs/arithmetic.md, "Losses").

Operands have one shape, or broadcast; targets that number classes lack the axis of the classes,
the second one ([N, C, *places], or [C]). A result that is not reduced has the shape of the
targets; a reduced one has no axes.
"""

from __future__ import annotations

from typing import Any

import torch

from samebits.arithmetic import _exact
from samebits.arithmetic.kernels import converted, elementwise, widened
from samebits.arithmetic.operations.arguments import demand, require_plain, torch_decides
from samebits.arithmetic.operations.reductions import sum_over
from samebits.arithmetic.registry import kernel, name_of
from samebits.arithmetic.shortcuts import CLASS_LOSS, CLASS_LOSS_BACKWARD

NONE, MEAN, SUM = 0, 1, 2


def reduced(values: torch.Tensor, reduction: int) -> torch.Tensor:
    """The values, their mean or their sum, as torch numbers reductions."""
    if reduction == NONE:
        return values
    total = sum_over(values, range(values.ndim))
    return (
        elementwise("div_scalar", total, scalars=(values.numel(),)) if reduction == MEAN else total
    )


def spread(grad: torch.Tensor, count: int, reduction: int) -> torch.Tensor:
    """The gradient of `reduced` for each of `count` values, before it meets their own."""
    return elementwise("div_scalar", grad, scalars=(count,)) if reduction == MEAN else grad


def _picked(
    target: torch.Tensor, classes: int, ignored: int
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Targets with ignored ones replaced by 0, and where they were (None when nowhere)."""
    if not target.numel():
        return target, None
    low, high = (int(bound) for bound in target.aminmax())
    skip = None
    if low <= ignored <= high:
        skip = target == ignored
        target = target.masked_fill(skip, 0)
        low, high = (int(bound) for bound in target.aminmax())
    if low < 0 or high >= classes:
        bad = low if low < 0 else high
        raise IndexError(f"target {bad} is out of bounds: there are {classes} classes, from 0")
    return target, skip


@kernel("aten.nll_loss_forward", "aten.nll_loss2d_forward", shortcut=CLASS_LOSS)
def nll_loss(op: Any, x: Any, target: Any, weight: Any, reduction: int, ignored: int) -> Any:
    """The picked values, negated and weighted; their sum or mean; the total weight."""
    found = _exact.class_loss(x, target, weight, reduction, ignored)
    if found is not None:
        return found
    require_plain(op, [x] if weight is None else [x, weight])
    axis = 0 if x.ndim == 1 else 1
    if target.shape != x.shape[:axis] + x.shape[axis + 1 :]:
        torch_decides(op, (x, target, weight, reduction, ignored), {})
    demand(target.dtype in (torch.int64, torch.uint8), op, "targets are numbers of classes")
    classes = x.shape[axis]
    demand(weight is None or weight.shape == (classes,), op, f"a weight for {classes} classes")
    index, skip = _picked(target.long(), classes, ignored)
    wide = widened(x)
    values = elementwise("neg", wide.gather(axis, index.unsqueeze(axis)).squeeze(axis))
    weights = None if weight is None else widened(weight)[index]
    if weights is not None:
        values = elementwise("mul", values, weights)
    if skip is not None:
        values = values.masked_fill(skip, 0)
        weights = None if weights is None else weights.masked_fill(skip, 0)
    if weights is not None:
        total = sum_over(weights, range(weights.ndim))
    else:
        count = target.numel() if skip is None else int((~skip).sum())
        total = torch.tensor(float(count), dtype=wide.dtype)
    if reduction == NONE:
        # torch's total weight is meaningless here, and zero.
        return converted(values, x.dtype), torch.zeros((), dtype=x.dtype)
    result = sum_over(values, range(values.ndim))
    if reduction == MEAN:
        result = elementwise("div", result, total)
    return converted(result, x.dtype), converted(total, x.dtype)


@kernel(
    "aten.nll_loss_backward",
    "aten.nll_loss2d_backward",
    shortcut=CLASS_LOSS_BACKWARD,
)
def nll_loss_backward(
    op: Any, grad: Any, x: Any, target: Any, weight: Any, reduction: int, ignored: int, total: Any
) -> Any:
    """−grad times the weight at the target, divided by the total weight for a mean."""
    made = torch.zeros(x.shape, dtype=x.dtype)
    if _exact.class_loss_backward(made, grad, target, weight, reduction, ignored, total):
        return made
    require_plain(op, [grad, x])
    axis = 0 if x.ndim == 1 else 1
    index, skip = _picked(target.long(), x.shape[axis], ignored)
    values = elementwise("neg", widened(grad))
    if reduction == MEAN:
        values = elementwise("div", values, widened(total))
    if weight is not None:
        values = elementwise("mul", values, widened(weight)[index])
    values = values.expand(target.shape)
    if skip is not None:
        values = values.masked_fill(skip, 0)
    result = torch.zeros(x.shape, dtype=values.dtype)
    result.scatter_(axis, index.unsqueeze(axis), values.unsqueeze(axis))
    return converted(result, x.dtype)


@kernel("aten.mse_loss")
def mse_loss(op: Any, x: Any, y: Any, reduction: int = MEAN) -> Any:
    """(x − y)², its mean or its sum."""
    require_plain(op, [x, y])
    difference = elementwise("sub", widened(x), widened(y))
    return converted(reduced(elementwise("square", difference), reduction), x.dtype)


@kernel("aten.mse_loss_backward")
def mse_loss_backward(op: Any, grad: Any, x: Any, y: Any, reduction: int) -> Any:
    """2 (x − y) grad, divided by the number of elements for a mean."""
    require_plain(op, [grad, x, y])
    difference = elementwise("sub", widened(x), widened(y))
    doubled = elementwise("mul_scalar", difference, scalars=(2.0,))
    own = spread(widened(grad), difference.numel(), reduction)
    return converted(elementwise("mul", doubled, own), x.dtype)


@kernel("aten.binary_cross_entropy_with_logits")
def bce_with_logits(
    op: Any, x: Any, y: Any, weight: Any = None, pos_weight: Any = None, reduction: int = MEAN
) -> Any:
    """(1 − y) x − w log(sigmoid(x)), with w = 1 + (pos_weight − 1) y."""
    tensors = [x, y, *(t for t in (weight, pos_weight) if t is not None)]
    require_plain(op, tensors)
    wide, target = widened(x), widened(y)
    loss = elementwise("mul", elementwise("rsub_scalar", target, scalars=(1.0,)), wide)
    logarithm = elementwise("log_sigmoid", wide)
    if pos_weight is not None:
        more = elementwise("add_scalar", widened(pos_weight), scalars=(-1.0,))
        factor = elementwise("add_scalar", elementwise("mul", more, target), scalars=(1.0,))
        logarithm = elementwise("mul", logarithm, factor)
    loss = elementwise("sub", loss, logarithm)
    if weight is not None:
        loss = elementwise("mul", loss, widened(weight))
    return converted(reduced(loss, reduction), x.dtype)


_EPSILON = 1e-12
"""torch's bound on a denominator."""


@kernel("aten.binary_cross_entropy")
def bce(op: Any, x: Any, y: Any, weight: Any = None, reduction: int = MEAN) -> Any:
    """(y − 1) max(log1p(−x), −100) − y max(log(x), −100)."""
    require_plain(op, [x, y] if weight is None else [x, y, weight])
    for tensor in (x, y):
        within = bool(((tensor >= 0) & (tensor <= 1)).all())
        demand(within, op, "all elements lie between 0 and 1")
    wide, target = widened(x), widened(y)
    bounds = (-100.0, float("inf"))
    missed = elementwise("clamp", elementwise("log1p", elementwise("neg", wide)), scalars=bounds)
    found = elementwise("clamp", elementwise("log", wide), scalars=bounds)
    first = elementwise("mul", elementwise("add_scalar", target, scalars=(-1.0,)), missed)
    loss = elementwise("sub", first, elementwise("mul", target, found))
    if weight is not None:
        loss = elementwise("mul", loss, widened(weight))
    return converted(reduced(loss, reduction), x.dtype)


@kernel("aten.binary_cross_entropy_backward")
def bce_backward(
    op: Any, grad: Any, x: Any, y: Any, weight: Any = None, reduction: int = MEAN
) -> Any:
    """Grad (x − y) / max((1 − x) x, 1e-12)."""
    require_plain(op, [grad, x, y])
    wide, target = widened(x), widened(y)
    slope = elementwise("mul", elementwise("rsub_scalar", wide, scalars=(1.0,)), wide)
    slope = elementwise("clamp", slope, scalars=(_EPSILON, float("inf")))
    own = elementwise("mul", widened(grad), elementwise("sub", wide, target))
    result = elementwise("div", own, slope)
    if weight is not None:
        result = elementwise("mul", result, widened(weight))
    if reduction == MEAN:
        result = elementwise("div_scalar", result, scalars=(result.numel(),))
    return converted(result, x.dtype)


@kernel("aten.smooth_l1_loss", "aten.huber_loss")
def smooth_l1_loss(op: Any, x: Any, y: Any, reduction: int = MEAN, bound: float = 1.0) -> Any:
    """Squares near zero, magnitudes beyond `bound`: torch's beta or delta."""
    require_plain(op, [x, y])
    least = bound > 0 or (bound == 0 and name_of(op) == "aten.smooth_l1_loss")
    demand(least, op, f"the bound must be positive, but is {bound}")
    distance = elementwise("abs", elementwise("sub", widened(x), widened(y)))
    half = elementwise("mul_scalar", elementwise("square", distance), scalars=(0.5,))
    far = elementwise("add_scalar", distance, scalars=(-0.5 * bound,))
    if name_of(op) == "aten.huber_loss":
        far = elementwise("mul_scalar", far, scalars=(bound,))
        near = half
    else:
        near = elementwise("div_scalar", half, scalars=(bound,)) if bound else half
    return converted(reduced(torch.where(distance < bound, near, far), reduction), x.dtype)


@kernel("aten.smooth_l1_loss_backward", "aten.huber_loss_backward")
def smooth_l1_loss_backward(
    op: Any, grad: Any, x: Any, y: Any, reduction: int, bound: float
) -> Any:
    """Derivative of `smooth_l1_loss`."""
    require_plain(op, [grad, x, y])
    difference = elementwise("sub", widened(x), widened(y))
    if name_of(op) == "aten.huber_loss_backward":
        slope = elementwise("clamp", difference, scalars=(-bound, bound))
    else:
        inner = elementwise("div_scalar", difference, scalars=(bound or 1.0,))
        near = elementwise("abs", difference) < bound
        slope = torch.where(near, inner, elementwise("sign", difference))
    own = spread(widened(grad), difference.numel(), reduction)
    return converted(elementwise("mul", slope, own), x.dtype)
