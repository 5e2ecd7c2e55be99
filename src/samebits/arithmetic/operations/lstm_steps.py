"""The steps of an LSTM in one native call each way (docs/arithmetic.md, "Recurrent layers").

X is [steps, B, 4 H], a state [B, H], W_hh [4 H, H].

Autograd would have three nodes a step: W_hh turned, its product with h, and the cell. One node
stands for those of several steps here. It has an output for each tensor that these pass on, and an
edge to W_hh for each step, so that whatever comes to one of these tensors or to W_hh is added in
the order in which it would be without it. Derivatives of the first order are computed natively;
for others the node does what those of the steps would do, with the same operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd import forward_ad

from samebits.arithmetic import _exact
from samebits.arithmetic.compiling import keep_from_compiler
from samebits.arithmetic.mode import ExactMode

aten = torch.ops.aten
_is_batched = torch._C._functorch.is_legacy_batchedtensor  # of several gradients at once
Optional = Tensor | None

_PLAIN = (Tensor, torch.nn.Parameter)
_MOST = 2 << 20
"""Bytes that the slopes of W_hh may take which are made at once: one is the sum of all steps."""


class Layer(NamedTuple):
    """What the steps of a layer are given."""

    x: Tensor
    h: Tensor
    c: Tensor
    weight: Tensor
    bias: Optional


def alone(tensors: Sequence[Tensor]) -> bool:
    """Whether a block is open and nobody else minds the operations on these tensors.

    A recorder, a transformation of functions or a block that lets operations through is to see
    each of them.
    """
    depth = torch._C._len_torch_dispatch_stack()
    modes = map(torch._C._get_dispatch_stack_at, range(depth))
    if not depth or not all(isinstance(mode, ExactMode) and not mode.allow for mode in modes):
        return False
    if torch._C._len_torch_function_stack() or torch._C._are_functorch_transforms_active():
        return False
    if forward_ad._current_level >= 0 or torch.is_autocast_enabled("cpu"):
        return False
    return all(type(t) in _PLAIN and not _is_batched(t) for t in tensors)


def fits(layer: Layer) -> bool:
    """Whether sizes belong to each other; torch's operations say what is wrong with them."""
    x, h, c, weight, bias = layer
    wide = (weight.shape[0],)
    sizes = x.shape[1:] == (*c.shape[:1], *wide) and h.shape == c.shape
    return sizes and (bias is None or bias.shape == wide)


def steps(layer: Layer) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """The outputs of all steps, [steps, B, H], and h and c after the last one."""
    x, h, c, weight, _ = layer
    whole = x.detach().contiguous()
    if not (torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in layer)):
        hy, cy, _, _ = _computed(layer._replace(x=whole), keeps=False)
        return hy, (hy[-1], cy[0])
    outputs: list[Tensor] = []
    most = _MOST // (weight.numel() * weight.element_size()) if weight.requires_grad else len(x)
    most = max(most, 1)
    inputs = x.unbind(0)
    for begin in range(0, len(inputs), most):
        own = inputs[begin : begin + most]
        part = layer._replace(x=whole[begin : begin + most], h=h, c=c)
        edges = [t for t in (weight, layer.bias) if t is not None for _ in own]
        found = _Steps.apply(part, h, c, *own, *edges)  # type: ignore[no-untyped-call]
        outputs += found[: len(own)]
        h, c = outputs[-1], found[2 * len(own) - 1]
    return torch.stack(outputs, 0), (h, c)


def _computed(layer: Layer, *, keeps: bool) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """All h; all c, H and what the derivative needs, or those of the last step alone."""
    x, h, c, weight, bias = layer
    rows, hidden = c.shape
    places = len(x) if keeps else 1
    hy = c.new_empty((len(x), rows, hidden))
    cy, gates, kept = (c.new_empty((places, rows, width * hidden)) for width in (1, 4, 5))
    weight, h, c = weight.contiguous(), h.contiguous(), c.contiguous()
    bias = None if bias is None else bias.contiguous()
    _exact.lstm_steps(hy, cy, gates, kept, x, weight, bias, h, c, keeps)
    return hy, cy, gates, kept


class _Steps(torch.autograd.Function):
    """Several steps as one of autograd's nodes.

    It takes h and c, X of each step, then W_hh and b_hh as often, and gives the h, c, H and W_hhᵀ
    of each step.
    """

    @staticmethod
    def forward(ctx: Any, layer: Layer, h: Tensor, c: Tensor, *others: Tensor) -> Any:
        count = len(layer.x)
        hy, cy, gates, kept = _computed(layer, keeps=True)
        turned = layer.weight.t().expand(count, -1, -1)
        outputs = [t for of_steps in (hy, cy, gates, turned) for t in of_steps.unbind(0)]
        ctx.set_materialize_grads(False)
        ctx.biased = layer.bias is not None
        ctx.save_for_backward(kept, h, c, *others[:count], *outputs)
        return tuple(outputs)

    @staticmethod
    def backward(ctx: Any, *grads: Optional) -> Any:
        kept, h, c, *saved = ctx.saved_tensors
        count = len(kept)
        x, hy, cy, gates, turned = (saved[i * count : (i + 1) * count] for i in range(5))
        known = _Known(kept, ctx.biased, x, [h, *hy[:-1]], [c, *cy[:-1]], cy, gates, turned)
        come = _Gradients(*(list(grads[i * count : (i + 1) * count]) for i in range(4)))
        plain = not torch.is_grad_enabled() and all(g is None for g in (*come.gates, *come.turned))
        given = [g for g in (*come.h, *come.c) if g is not None]
        if plain and (come.h[-1] is not None or come.c[-1] is not None) and alone(given):
            return None, *_back(known, come, ctx.needs_input_grad)
        return None, *_back_by_operations(known, come)


class _Known(NamedTuple):
    """What was given to the steps and what they gave; the states are those before each step."""

    kept: Tensor
    biased: bool
    x: list[Tensor]
    h: list[Tensor]
    c: list[Tensor]
    cy: list[Tensor]
    gates: list[Tensor]
    turned: list[Tensor]


class _Gradients(NamedTuple):
    """What comes to the outputs of each step from outside of the node."""

    h: list[Optional]
    c: list[Optional]
    gates: list[Optional]
    turned: list[Optional]


def _back(known: _Known, come: _Gradients, needs: Sequence[bool]) -> list[Optional]:
    """The slopes of all inputs, by one native call."""
    kept, weight = known.kept, known.turned[0].t()
    count, rows, wide = len(kept), kept.shape[1], weight.shape[0]
    gates = kept.new_empty((count, rows, wide))
    weights = kept.new_empty((count, *weight.shape)) if needs[3 + count] else None
    biases = kept.new_empty((count, wide)) if known.biased and needs[-1] else None
    h = torch.empty_like(known.h[0], memory_format=torch.contiguous_format) if needs[1] else None
    c = torch.empty_like(known.c[0], memory_format=torch.contiguous_format)
    _exact.lstm_steps_backward(
        gates, weights, biases, h, c, come.h, come.c, weight.contiguous(), known.h, known.c, kept
    )
    found = [h, c, *gates.unbind(0)]
    # autograd adds them in the order of the edges: from the last step to the first.
    for slopes in (weights, biases) if known.biased else (weights,):
        found += [None] * count if slopes is None else reversed(slopes.unbind(0))
    return found


def _back_by_operations(known: _Known, come: _Gradients) -> list[Optional]:
    """The slopes of all inputs, by the operations of the nodes for which this one stands."""
    count = len(known.x)
    of_x: list[Optional] = [None] * count
    weights, biases = of_x.copy(), of_x.copy()
    h, c = come.h[-1], come.c[-1]
    for t in reversed(range(count)):
        before_h, before_c = (come.h[t - 1], come.c[t - 1]) if t else (None, None)
        gates, c = _back_of_cell(h, c, known, t)
        of_x[t] = gates
        gates, c = _sum(come.gates[t], gates), _sum(before_c, c)
        of_h, turned, biases[t] = _back_of_product(gates, known, t)
        h, turned = _sum(before_h, of_h), _sum(come.turned[t], turned)
        weights[t] = None if turned is None else turned.t()
    slopes = [*reversed(weights), *(reversed(biases) if known.biased else ())]
    return [h, c, *of_x, *slopes]


def _sum(come: Optional, own: Optional) -> Optional:
    if come is None or own is None:
        return own if come is None else come
    return come + own


def _back_of_cell(h: Optional, c: Optional, known: _Known, t: int) -> tuple[Optional, Optional]:
    """The slopes of X (or of H) and of c, as autograd asks for them."""
    if h is None and c is None:
        return None, None
    before, after = known.c[t], known.cy[t]
    if torch.is_grad_enabled():
        found = aten._thnn_differentiable_lstm_cell_backward(
            h, c, known.x[t], known.gates[t], None, None, before, after
        )
    else:
        found = aten._thnn_fused_lstm_cell_backward(h, c, before, after, known.kept[t], False)
    return found[0], found[2]


def _back_of_product(grad: Optional, known: _Known, t: int) -> tuple[Optional, Optional, Optional]:
    """The slopes of h, W_hhᵀ and b_hh, as torch's derivatives of `addmm` and `mm` make them.

    Of each in the order in which these do, which decides what is added first where these slopes
    are differentiated.
    """
    if grad is None:
        return None, None, None
    h, turned = known.h[t], known.turned[t]
    if not known.biased:
        of_turned = _of_second_factor(grad, h, turned)
        return _of_first_factor(grad, h, turned), of_turned, None
    of_h = _of_first_factor(grad, h, turned)
    of_turned = _of_second_factor(grad, h, turned)
    return of_h, of_turned, grad.sum([0], True).view(grad.shape[1])


def _of_first_factor(grad: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return b.mm(grad.t()).t() if _down_columns(a) else grad.mm(b.t())


def _of_second_factor(grad: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return grad.t().mm(a).t() if _down_columns(b) else a.t().mm(grad)


def _down_columns(factor: Tensor) -> bool:
    return factor.stride() == (1, factor.shape[0])


keep_from_compiler(_Steps.forward)
keep_from_compiler(_Steps.backward)
