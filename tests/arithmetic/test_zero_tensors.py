"""Zeros without memory, which forward-mode derivatives are made of, compute as zeros do."""

from __future__ import annotations

import pytest
import torch
from torch.autograd import forward_ad

import samebits

CASES = {
    "a number added": lambda z, x: z + 1.5,
    "a whole number": lambda z, x: z - 1,
    "from a number": lambda z, x: 2 - z,
    "added to": lambda z, x: x + z,
    "a product": lambda z, x: x * z,
    "a quotient": lambda z, x: z / x,
    "dot": lambda z, x: torch.dot(x[0], z[0]),
    "vdot": lambda z, x: torch.vdot(z[0], x[0]),
    "of a view": lambda z, x: torch.dot(z.t()[0], x.t()[0]),
    "a copy": lambda z, x: x.clone().copy_(z),
    "compared": lambda z, x: torch.isclose(z, z),
    "a sum": lambda z, x: z.sum(0),
    "a product of matrices": lambda z, x: z @ x,
    "a list": lambda z, x: torch._foreach_add([x, x], [z, z])[1],
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("case", CASES)
def test_they_compute_as_zeros_do(case, dtype):
    x = torch.tensor([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0], [2.0, 0.25, 8.0]], dtype=dtype)
    with samebits.exact():
        found = CASES[case](torch._efficientzerotensor((3, 3), dtype=dtype), x).clone()
        wanted = CASES[case](torch.zeros((3, 3), dtype=dtype), x)
    assert found.dtype == wanted.dtype
    assert found.equal(wanted)


def test_complex_ones_are_zeros():
    x = torch.tensor([1 + 2j, -1j])
    with samebits.exact():
        z = torch._efficientzerotensor((2,), dtype=torch.complex64)
        assert (x + z).equal(x)
        assert torch.dot(x, z).clone() == 0


@pytest.mark.filterwarnings("ignore:`torch.jit")  # torch's own, when it is first asked for these
def test_forward_mode_meets_them():
    x, w = torch.randn(4), torch.randn(4)
    with samebits.exact(), forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.ones(4))
        found = forward_ad.unpack_dual(torch.dot(dual, w) + torch.dot(w, w) + 1.0).tangent
        assert found.equal(torch.dot(torch.ones(4), w))


def test_coverage_meets_them():
    z = torch._efficientzerotensor((3,))
    found = samebits.exact.coverage(lambda x: torch.dot(x, z), torch.ones(3), backward=False)
    assert found.complete
