"""Derivatives of an LSTM's steps as autograd makes them, operation by operation.

The nodes of a step are W_hh turned, its product with h, and the cell. Their operations are called
in the order in which autograd would call them, which decides what is added first where the results
are differentiated. Shapes are those of `samebits.arithmetic.operations.lstm_steps`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

aten = torch.ops.aten
Optional = Tensor | None


class LstmStep(NamedTuple):
    """The tensors that autograd's nodes of a step would pass on: X, h, c, H and W_hhᵀ."""

    x: Tensor
    h: Tensor
    c: Tensor
    gates: Tensor
    turned: Tensor


Slopes = list[list[Optional]]
"""For each step, what comes to its tensors from outside of its node, in the order of `LstmStep`."""
X, H, C, GATES, TURNED = range(5)


class LstmBefore(NamedTuple):
    """The states before a step: h only where W_hh is to have slopes, and how it lies."""

    h: Optional
    c: Tensor
    in_columns: bool


class LstmRecord(NamedTuple):
    """Steps, the states before them, and what the native derivative needs of each."""

    steps: Sequence[LstmStep]
    first: LstmBefore
    kept: Sequence[Tensor]


def back_by_operations(recorded: LstmRecord, come: Slopes, *, biased: bool) -> list[Any]:
    """The slopes of X, h and c, and of W_hh and b_hh by each step.

    Args:
        recorded: The steps.
        come: What comes to their tensors.
        biased: Whether there is a b_hh.
    """
    steps, first, kept = recorded
    x: list[Optional] = [None] * len(steps)
    weights, biases = x.copy(), x.copy()
    h, c = come[-1][H], come[-1][C]
    for t in reversed(range(len(steps))):
        before = _before(steps[t - 1], first) if t else first
        earlier = come[t - 1] if t else [None] * 5
        of_x, gates, c = _back_of_cell(h, c, steps[t], before.c, kept[t])
        x[t] = added(come[t][X], of_x)
        gates, c = added(come[t][GATES], gates), added(earlier[C], c)
        h, turned, biases[t] = _back_of_product(gates, before, steps[t].turned, biased)
        h, turned = added(earlier[H], h), added(come[t][TURNED], turned)
        weights[t] = None if turned is None else turned.t()
    return [_stacked(x), h, c, weights, biases]


def _before(step: LstmStep, first: LstmBefore) -> LstmBefore:
    """The states after a step, as those before the next one."""
    return LstmBefore(None if first.h is None else step.h, step.c, in_columns(step.h))


def _stacked(slopes: Sequence[Optional]) -> Optional:
    some = next((slope for slope in slopes if slope is not None), None)
    if some is None:
        return None
    return torch.stack([torch.zeros_like(some) if one is None else one for one in slopes])


def added(come: Optional, own: Optional) -> Optional:
    """The sum of what has come to a tensor and what comes now."""
    if come is None or own is None:
        return own if come is None else come
    return come + own


def _back_of_cell(
    h: Optional, c: Optional, step: LstmStep, before: Tensor, kept: Tensor
) -> tuple[Optional, Optional, Optional]:
    """The slopes of X, H and c, as autograd asks for them.

    The first two are one tensor, but not under vmap, where what comes to each is added by itself.
    """
    if h is None and c is None:
        return None, None, None
    if torch.is_grad_enabled():
        found = aten._thnn_differentiable_lstm_cell_backward(
            h, c, step.x, step.gates, None, None, before, step.c
        )
    else:
        found = aten._thnn_fused_lstm_cell_backward(h, c, before, step.c, kept, False)
    return found[0], found[1], found[2]


def _back_of_product(
    grad: Optional, before: LstmBefore, turned: Tensor, biased: bool
) -> tuple[Optional, Optional, Optional]:
    """The slopes of h, W_hhᵀ and b_hh, as torch's derivatives of `addmm` and `mm` make them.

    Of each in the order in which these do, which decides what is added first where these slopes
    are differentiated.
    """
    if grad is None:
        return None, None, None
    if not biased:
        of_turned = _of_second_factor(grad, before.h, turned)
        return _of_first_factor(grad, before.in_columns, turned), of_turned, None
    of_h = _of_first_factor(grad, before.in_columns, turned)
    of_turned = _of_second_factor(grad, before.h, turned)
    return of_h, of_turned, grad.sum([0], True).view(grad.shape[1])


def _of_first_factor(grad: Tensor, a_in_columns: bool, b: Tensor) -> Tensor:
    return b.mm(grad.t()).t() if a_in_columns else grad.mm(b.t())


def _of_second_factor(grad: Tensor, a: Optional, b: Tensor) -> Optional:
    if a is None:
        return None
    return grad.t().mm(a).t() if in_columns(b) else a.t().mm(grad)


def in_columns(factor: Tensor) -> bool:
    """Whether a matrix lies in memory column by column."""
    return factor.stride() == (1, factor.shape[0])
