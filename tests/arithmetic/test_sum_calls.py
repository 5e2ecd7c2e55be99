"""Sums as scripts call them: the way without Python and the general one give the same bits."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.arithmetic.bits import same_bits

import samebits
from samebits.arithmetic import reference

SHAPE = (3, 5, 67, 2)
AXES = [(0,), (3,), (1, 2), (2, 3), (-1, -2), (0, 1, 2, 3), (0, 2), (3, 0)]


def whole() -> torch.Tensor:
    rng = np.random.default_rng(3)
    spread = rng.standard_normal(SHAPE) * 2.0 ** rng.integers(-20, 20, SHAPE)
    return torch.from_numpy(spread.astype(np.float32))


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("axes", AXES, ids=str)
def test_any_axes_of_any_layout(axes, keepdim):
    x = whole()
    turned = x.permute(2, 0, 3, 1).contiguous().permute(1, 3, 0, 2)
    own = sorted(axis % 4 for axis in axes)
    wanted = np.asarray(reference.sum_over(x.numpy(), own))
    for tensor in (x, turned):
        with samebits.exact():
            found = tensor.sum(axes, keepdim=keepdim)
        assert found.shape == tensor.sum(axes, keepdim=keepdim).shape
        assert same_bits(found.reshape(wanted.shape), wanted)


def test_all_of_a_tensor():
    x = whole()
    wanted = np.asarray(reference.sum_over(x.numpy(), range(4)))
    with samebits.exact():
        assert same_bits(x.sum(), wanted)
        assert same_bits(torch.sum(x, []), wanted)
        assert same_bits(x.double().sum().float(), x.double().sum(dtype=torch.float64).float())


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), ()])
def test_nothing_and_single_values(shape):
    x = torch.full(shape, -0.0)
    with samebits.exact():
        found = x.sum()
    assert same_bits(found, np.float32(0.0))


@pytest.mark.parametrize(("axes", "error"), [((4,), IndexError), ((1, 1), RuntimeError)])
def test_axes_that_do_not_exist_or_twice(axes, error):
    x = whole()
    with samebits.exact(), pytest.raises(error):
        x.sum(axes)


def test_gradients_pass_through():
    x = whole().requires_grad_()
    with samebits.exact():
        x.sum((1, 2)).sum().backward()
    assert torch.equal(x.grad, torch.ones(SHAPE))
