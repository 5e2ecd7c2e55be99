"""LSTM and GRU with one native pass a step (docs/arithmetic.md, "Recurrent layers").

Sequences are [T, B, D], or [B, T, D] with the batch first; states [layers, B, H]. What comes to a
step is that of torch's program, operation by operation; torch's own derivatives of its fused steps
are asked for, and computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from samebits.arithmetic import _exact
from samebits.arithmetic.composites import composite
from samebits.arithmetic.forms import COMPOSITION
from samebits.arithmetic.mode import innermost
from samebits.arithmetic.operations.arguments import demand
from samebits.arithmetic.operations.lstm_steps import Layer, alone, fits
from samebits.arithmetic.operations.lstm_steps import steps as lstm_steps
from samebits.arithmetic.registry import kernel

aten = torch.ops.aten
Optional = Tensor | None
_States = tuple[Tensor, ...]
_Steps = Callable[[Tensor, _States, Tensor, Optional], tuple[Tensor, _States]]
"""From X, the states, W_hh and b_hh to the outputs of all steps and the states after the last."""


@kernel("aten._thnn_fused_lstm_cell")
def lstm_step(
    op: Any, x: Tensor, h: Tensor, c: Tensor, x_bias: Optional = None, h_bias: Optional = None
) -> Any:
    """The states after a step, and what its derivative needs."""
    demand(x_bias is None and h_bias is None, op, "biases belong to the products here")
    hy, cy = (torch.empty(c.shape, dtype=c.dtype) for _ in "hc")
    kept = torch.empty((c.shape[0], 5 * c.shape[1]), dtype=c.dtype)
    _exact.lstm_step(hy, cy, kept, x.contiguous(), h.contiguous(), c.contiguous())
    return hy, cy, kept


@kernel("aten._thnn_fused_lstm_cell_backward_impl")
def lstm_step_backward(
    op: Any, grad_hy: Optional, grad_cy: Optional, c: Tensor, cy: Tensor, kept: Tensor, biased: bool
) -> Any:
    """The slopes of the gates, of c, and of no bias."""
    demand(not biased, op, "biases belong to the products here")
    if grad_hy is None and grad_cy is None:
        return None, None, None  # nobody asks for a slope of either
    gates = torch.empty((c.shape[0], 4 * c.shape[1]), dtype=c.dtype)
    grad_c = torch.empty(c.shape, dtype=c.dtype)
    own_h = None if grad_hy is None else grad_hy.contiguous()
    own_c = None if grad_cy is None else grad_cy.contiguous()
    _exact.lstm_step_backward(gates, grad_c, own_h, own_c, c.contiguous(), kept)
    return gates, grad_c, None


@kernel("aten._thnn_fused_gru_cell")
def gru_step(
    op: Any, x: Tensor, h: Tensor, state: Tensor, x_bias: Optional = None, h_bias: Optional = None
) -> Any:
    """The state after a step, and what its derivative needs."""
    demand(x_bias is None and h_bias is None, op, "biases belong to the products here")
    hy = torch.empty(state.shape, dtype=state.dtype)
    kept = torch.empty((state.shape[0], 5 * state.shape[1]), dtype=state.dtype)
    _exact.gru_step(hy, kept, x.contiguous(), h.contiguous(), state.contiguous())
    return hy, kept


@kernel("aten._thnn_fused_gru_cell_backward")
def gru_step_backward(op: Any, grad: Tensor, kept: Tensor, biased: bool) -> Any:
    """The slopes of X, of H and of the state, and of no biases."""
    demand(not biased, op, "biases belong to the products here")
    of_x, of_h = (torch.empty((grad.shape[0], 3 * grad.shape[1]), dtype=grad.dtype) for _ in "xh")
    of_state = torch.empty(grad.shape, dtype=grad.dtype)
    _exact.gru_step_backward(of_x, of_h, of_state, grad.contiguous(), kept)
    return of_x, of_h, of_state, None, None


def _plain(x: Tensor, states: Sequence[Tensor], params: Sequence[Tensor], layers: int) -> bool:
    """Whether a layer is one for the passes here: one direction, no projection, single precision.

    Torch's program stands for all others, and says what is wrong with arguments.
    """
    if innermost() is None or x.ndim != 3 or not x.numel():
        return False
    if layers < 1 or len(params) not in (2 * layers, 4 * layers):
        return False
    first = states[0]
    if first.ndim != 3 or first.shape[0] != layers or not first.numel():
        return False
    if any(state.shape != first.shape for state in states):
        return False
    own = (x, *states, *params)
    return all(t.dtype == x.dtype and t.is_cpu for t in own) and x.dtype in (
        torch.float32,
        torch.float64,
    )


def _layers(
    steps: _Steps,
    gates: int,
    x: Tensor,
    states: Sequence[Tensor],
    params: Sequence[Tensor],
    layers: int,
    dropout: float,
) -> tuple[Tensor, list[Tensor]] | None:
    """Layer after layer over [T, B, D]: the outputs, and the states after the last step."""
    hidden, each = states[0].shape[2], len(params) // layers
    if any(params[i * each + 1].shape != (gates * hidden, hidden) for i in range(layers)):
        return None
    final = []
    for layer, begin in enumerate(zip(*(state.unbind(0) for state in states), strict=True)):
        w_x, w_h, *biases = params[layer * each : (layer + 1) * each]
        b_x, b_h = biases or (None, None)
        x, last = steps(functional.linear(x, w_x, b_x), begin, w_h, b_h)
        final.append(last)
        if dropout and layer < layers - 1:
            x = torch.dropout(x, dropout, True)
    return x, [torch.stack(last, 0) for last in zip(*final, strict=True)]


def _one_by_one(
    cell: Callable[[Tensor, Tensor, _States], _States],
    x: Tensor,
    states: _States,
    w_h: Tensor,
    b_h: Optional,
) -> tuple[Tensor, _States]:
    """Steps of a cell, which makes the new states of X, H and the states."""
    outputs = []
    for given in x.unbind(0):
        states = cell(given, functional.linear(states[0], w_h, b_h), states)
        outputs.append(states[0])
    return torch.stack(outputs, 0), states


def _lstm_steps(x: Tensor, states: _States, w_h: Tensor, b_h: Optional) -> tuple[Tensor, _States]:
    h, c = states
    layer = Layer(x, h, c, w_h, b_h)
    # A single step is quicker by itself.
    if len(x) > 1 and fits(layer) and alone([t for t in layer if t is not None]):
        return lstm_steps(layer)
    return _one_by_one(_lstm_cell, x, states, w_h, b_h)


def _lstm_cell(x: Tensor, h: Tensor, states: _States) -> _States:
    return aten._thnn_fused_lstm_cell(x, h, states[1])[:2]  # type: ignore[no-any-return]


def _gru_steps(x: Tensor, states: _States, w_h: Tensor, b_h: Optional) -> tuple[Tensor, _States]:
    return _one_by_one(_gru_cell, x, states, w_h, b_h)


def _gru_cell(x: Tensor, h: Tensor, states: _States) -> _States:
    return aten._thnn_fused_gru_cell(x, h, states[0])[:1]  # type: ignore[no-any-return]


@composite("aten.lstm.input")
def lstm(
    op: Any, x: Tensor, states: Sequence[Tensor], params: Sequence[Tensor], *options: Any
) -> Any:
    """Outputs, and the last h and c of each layer."""
    _, layers, dropout, train, both, batch_first = options
    if not both and len(states) == 2 and _plain(x, states, params, layers):
        steps = x.transpose(0, 1) if batch_first else x
        drop = dropout if train else 0.0
        found = _layers(_lstm_steps, 4, steps, states, params, layers, drop)
        if found is not None:
            out, (h, c) = found
            return (out.transpose(0, 1) if batch_first else out), h, c
    return op._op_dk(COMPOSITION, x, states, params, *options)


@composite("aten.gru.input")
def gru(op: Any, x: Tensor, state: Tensor, params: Sequence[Tensor], *options: Any) -> Any:
    """Outputs, and the last state of each layer."""
    _, layers, dropout, train, both, batch_first = options
    if not both and _plain(x, [state], params, layers):
        steps = x.transpose(0, 1) if batch_first else x
        drop = dropout if train else 0.0
        found = _layers(_gru_steps, 3, steps, [state], params, layers, drop)
        if found is not None:
            out, (h,) = found
            return (out.transpose(0, 1) if batch_first else out), h
    return op._op_dk(COMPOSITION, x, state, params, *options)
