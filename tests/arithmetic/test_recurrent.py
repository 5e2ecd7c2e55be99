"""LSTM and GRU by passes: the bits of torch's own programs, whose operations the page defines."""

from __future__ import annotations

import pytest
import torch
from tests.arithmetic.bits import same_bits
from tests.arithmetic.test_scans_and_places import exactly
from torch import nn

import samebits
from samebits.arithmetic.operations import recurrent

LAYERS = {
    "plain": {},
    "two layers": {"num_layers": 2},
    "without biases": {"bias": False},
    "batch first": {"batch_first": True},
    "dropout between layers": {"num_layers": 3, "dropout": 0.4},
    "both directions": {"bidirectional": True},
    "of binary64": {"dtype": torch.float64},
}


def joined(kind, options, hidden, wanted):
    """All results and derivatives of a layer in a row; `wanted` says of what there is a loss."""
    torch.manual_seed(3)
    layer = kind(5, hidden, **options)
    x = torch.randn(4, 6, 5, dtype=options.get("dtype")).requires_grad_()
    rows = 4 if options.get("batch_first") else 6
    count = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
    h, c = (torch.randn(count, rows, hidden, dtype=x.dtype).requires_grad_() for _ in range(2))
    out, last = layer(x, (h, c) if kind is nn.LSTM else h)
    states = last if kind is nn.LSTM else (last,)
    loss = {"outputs": [out], "last states": list(states), "cells": [states[-1]]}[wanted]
    total = sum((value * torch.randn_like(value)).sum() for value in loss)
    leaves = [x, h, *([c] if kind is nn.LSTM else []), *layer.parameters()]
    grads = torch.autograd.grad(total, leaves, allow_unused=True)
    found = [out, *states, *(grad for grad in grads if grad is not None)]
    return torch.cat([value.detach().reshape(-1) for value in found])


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("wanted", ["outputs", "last states", "cells"])
@pytest.mark.parametrize("hidden", [3, 20])
def test_passes_have_the_bits_of_torchs_program(kind, name, wanted, hidden, monkeypatch):
    found = exactly(lambda: joined(kind, LAYERS[name], hidden, wanted))
    monkeypatch.setattr(recurrent, "_plain", lambda *args: False)
    assert same_bits(found, exactly(lambda: joined(kind, LAYERS[name], hidden, wanted)))


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_without_gradients_the_same(kind):
    layer, x = kind(5, 7), torch.randn(4, 6, 5)
    wanted = exactly(lambda: layer(x)[0].detach())
    for without in (torch.no_grad, torch.inference_mode):
        with samebits.exact(), without():
            found = layer(x)[0].clone()
        assert same_bits(found, wanted)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_a_step_of_nan_is_the_nan_of_the_page(kind):
    layer, x = kind(5, 7), torch.full((2, 1, 5), float("nan"))
    found = exactly(lambda: layer(x)[0].detach())
    assert torch.equal(found.view(torch.int32), torch.full_like(found, 0).int() + 0x7FC00000)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_second_derivatives(kind):
    layer, x = kind(2, 3), torch.randn(3, 1, 2).requires_grad_()
    with samebits.exact():
        (grad,) = torch.autograd.grad(layer(x)[0].square().sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(grad.square().sum(), x)
    assert second.isfinite().all()
    assert second.abs().sum() > 0


@pytest.mark.parametrize("steps", [1, 3])
def test_cells_that_lie_in_columns(steps):
    torch.manual_seed(3)
    layer, x, h = nn.LSTM(5, 7), torch.randn(steps, 6, 5), torch.randn(1, 6, 7)
    cells = torch.randn(1, 6, 7)

    def derived(c):
        c = c.requires_grad_()
        out, last = layer(x, (h, c))
        found = [out, *last, *torch.autograd.grad(out.sum(), [c, *layer.parameters()])]
        return torch.cat([value.detach().reshape(-1) for value in found])

    wanted = exactly(lambda: derived(cells.clone()))
    assert same_bits(exactly(lambda: derived(cells.mT.contiguous().mT)), wanted)
    with samebits.exact(), torch.no_grad():
        out, _ = nn.LSTMCell(5, 7)(x[0], (h[0], cells[0].t().contiguous().t()))
    assert out.isfinite().all()
