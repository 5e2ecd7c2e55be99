"""Products of a few rows, which do not pack their factors, have the bits of those of many."""

from __future__ import annotations

import pytest
import torch
from tests.arithmetic.conftest import builds
from torch import Tensor

import samebits
from samebits.arithmetic import _exact

MANY = 20
"""Rows of a product that packs its factors, on every build."""


def layouts(x: Tensor) -> list[Tensor]:
    """The same values row-major, column-major and with gaps."""
    return [x, x.mT.contiguous().mT, torch.stack([x, x], -1)[..., 0]]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("columns", [1, 3, 16, 33, 1030])
@pytest.mark.parametrize("depth", [0, 1, 7, 16, 250, 257, 4101])
def test_rows_are_those_of_a_product_of_many(depth, columns, dtype):
    whole = torch.randn(MANY, depth, dtype=dtype)
    b = torch.randn(depth, columns, dtype=dtype)
    added = torch.randn(columns, dtype=dtype)
    for build in builds():
        _exact.set_isa(build)
        with samebits.exact():
            right = torch.addmm(added, whole, b, beta=0.75, alpha=1.5)
            for rows in (1, 2, 3, 4):
                for threads in (1, 3):
                    torch.set_num_threads(threads)
                    for left in layouts(whole[:rows]):
                        for own in layouts(b):
                            found = torch.addmm(added, left, own, beta=0.75, alpha=1.5)
                            assert found.equal(right[:rows]), (build, rows, threads)


def test_vectors_and_batches_are_rows_of_such_products():
    a, x = torch.randn(3, 40, 4101), torch.randn(MANY, 4101)
    with samebits.exact():
        right = x @ a[0].t()
        assert (a[0] @ x[1]).equal(right[1])
        assert (x[1] @ a[0, 5]).equal(right[1, 5])
        assert torch.bmm(x[:2].expand(3, -1, -1), a.mT)[0].equal(right[:2])
        x[1, 7] = torch.inf
        a[0, 3, 7] = -0.0
        right = x @ a[0].t()
        assert samebits.fingerprint(a[0] @ x[1]) == samebits.fingerprint(right[1].contiguous())
