"""Tensors that dispatch by themselves, or that have no values, inside a block."""

from __future__ import annotations

import copy

import pytest
import torch
from torch.utils._pytree import tree_map_only

import samebits
from samebits.errors import NotExactError


class Wrapped(torch.Tensor):
    """Computes with the tensor that it holds."""

    @staticmethod
    def __new__(cls, inner):
        made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        args, kwargs = tree_map_only(cls, lambda one: one.inner, (args, kwargs or {}))
        return tree_map_only(torch.Tensor, cls, func(*args, **kwargs))


def test_what_a_tensor_of_its_own_kind_computes_inside_is_exact():
    x = torch.randn(1000) * 10
    with samebits.exact():
        right, found = x.exp(), Wrapped(x).exp()
        with pytest.raises(NotExactError, match="special_bessel_j0"):
            torch.special.bessel_j0(Wrapped(x))
    assert type(found) is Wrapped
    assert found.inner.equal(right)
    assert not x.exp().equal(right)


class Named(torch.nn.Parameter):
    """A parameter of a type of its own, which computes as any."""


@pytest.mark.parametrize(
    "layer", [lambda: torch.nn.LazyLinear(3), lambda: torch.nn.LazyBatchNorm1d(), None]
)
def test_types_that_compute_as_any_tensor_are_plain(layer):
    x = torch.randn(4, 5)
    with samebits.exact():
        if layer is None:
            parameter = Named(x)
            assert copy.deepcopy(parameter).data.equal(x)
            assert parameter.exp().equal(x.exp())
        else:
            assert layer()(x).shape[0] == 4


def test_nested_tensors_are_computed_piece_by_piece():
    rows = [torch.randn(3, 4), torch.randn(2, 4)]
    linear = torch.nn.Linear(4, 5)
    with samebits.exact(), torch.no_grad():
        nested = torch.nested.nested_tensor(rows, layout=torch.jagged)
        found = linear(nested).unbind()
        assert all(f.equal(linear(row)) for f, row in zip(found, rows, strict=True))


def test_tensors_without_values_are_torchs_own_matter():
    with samebits.exact():
        with torch.device("meta"):
            layer = torch.nn.Linear(3, 4)
            drawn = torch.randn(2, 3)
        assert layer(drawn).shape == (2, 4)
        state = torch.get_rng_state()
        torch.nn.Linear(3, 4, device="meta")
        assert torch.get_rng_state().equal(state)
        assert layer.weight.is_meta
        with pytest.raises(RuntimeError, match=r"shapes cannot be multiplied|reduction dim"):
            layer(torch.ones(2, 5, device="meta"))


def test_a_model_is_exported_inside_as_outside():
    linear, x = torch.nn.Linear(3, 2), torch.ones(1, 3)
    with samebits.exact():
        exported = torch.export.export(linear, (x,))
        found, right = exported.module()(x), linear(x)
    assert found.equal(right)
