"""Layers of halves: torch makes them of other operations by layout, and the bits are the same."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

import samebits

HALVES = [torch.bfloat16, torch.float16]
BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def same_bits(one, other):
    kind = BITS[one.element_size()]
    return torch.equal(one.contiguous().view(kind), other.contiguous().view(kind))


@pytest.mark.parametrize("dtype", [*HALVES, torch.float32, torch.float64])
def test_a_linear_layer_does_not_depend_on_strides(dtype):
    torch.manual_seed(0)
    x, weight, bias = (torch.randn(s).to(dtype) for s in ((5, 7, 300), (9, 300), (9,)))
    with samebits.exact():
        plain = functional.linear(x, weight, bias)
        other = functional.linear(x.transpose(0, 1).contiguous().transpose(0, 1), weight, bias)
        strided = functional.linear(x, weight, torch.stack([bias, bias], 1)[:, 0])
    assert same_bits(plain, other)
    assert same_bits(plain, strided)


@pytest.mark.parametrize("dtype", HALVES)
def test_a_row_of_a_recurrent_layer_does_not_depend_on_its_batch(dtype):
    torch.manual_seed(0)
    layer = torch.nn.LSTM(5, 6, batch_first=True).to(dtype)
    x = torch.randn(13, 7, 5).to(dtype)
    with samebits.exact():
        assert same_bits(layer(x)[0][:1].detach(), layer(x[:1])[0].detach())


@pytest.mark.parametrize("dtype", HALVES)
def test_a_product_with_something_added_is_rounded_twice(dtype):
    torch.manual_seed(0)
    c, a, b = (torch.randn(s).to(dtype) for s in ((3, 4), (3, 50), (50, 4)))
    with samebits.exact():
        assert same_bits(torch.addmm(c, a, b), (a @ b) + c)
        found = torch.addmm(c, a, b, beta=0.5, alpha=2)
        assert same_bits(found, (c.float() * 0.5 + (a @ b).float() * 2).to(dtype))


@pytest.mark.parametrize("causal", [False, True])
def test_attention_in_binary64(causal):
    torch.manual_seed(0)
    q = torch.randn(1, 2, 4, 8, dtype=torch.float64, requires_grad=True)
    with samebits.exact():
        found = functional.scaled_dot_product_attention(q, q, q, is_causal=causal)
        found.sum().backward()
    plain = functional.scaled_dot_product_attention(q, q, q, is_causal=causal)
    assert torch.allclose(found, plain, rtol=1e-12)
    assert q.grad is not None
