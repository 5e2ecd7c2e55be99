"""Eigenvalues and singular values: bits against the reference, values against binary64."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.arithmetic.bits import same_bits
from tests.arithmetic.test_against_float64 import check
from tests.arithmetic.test_linear_algebra import everywhere, matrix

import samebits
from samebits.arithmetic import reference_eigen as reference
from samebits.arithmetic import reference_linear_algebra as factors
from samebits.errors import NotExactError


def symmetric(size: int, kind: str) -> np.ndarray:
    a = matrix(size, size)
    if kind == "several equal values":
        return np.eye(size) + np.outer(np.ones(size), np.ones(size))
    if kind == "in blocks":
        a[: size // 2, size // 2 :] = 0
        return np.tril(a) + np.tril(a, -1).T - np.diag(a.diagonal())
    return a + a.T


@pytest.mark.parametrize("kind", ["ordinary", "several equal values", "in blocks"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 18])
def test_eigenvalues(size, kind):
    a = symmetric(size, kind)
    d, e, q = reference.tridiagonal(a)
    values, vectors = reference.ql(d, e, q)
    found, found_vectors = everywhere(torch.linalg.eigh, [a])
    assert same_bits(found, values)
    assert same_bits(found_vectors, vectors)
    (alone,) = everywhere(torch.linalg.eigvalsh, [a])
    assert same_bits(alone, values)
    assert np.abs(vectors @ np.diag(values) @ vectors.T - a).max() < 1e-13 * size


def test_one_triangle_is_read():
    a = matrix(6, 6)
    lower = np.tril(a) + np.tril(a, -1).T
    for text, given in (("L", np.tril(a)), ("U", np.tril(a).T)):
        found = everywhere(lambda x, text=text: torch.linalg.eigh(x, text), [given])
        for own, wanted in zip(found, everywhere(torch.linalg.eigh, [lower]), strict=True):
            assert same_bits(own, wanted)


@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (9, 5), (5, 9), (17, 17)])
def test_singular_values(shape):
    a = matrix(*shape)
    tall = a if shape[0] >= shape[1] else a.T
    reflections, taus = factors.qr(tall)
    size = min(shape)
    right, values, turns = reference.jacobi(np.triu(reflections[:size]))
    for full in (False, True):
        c = np.eye(max(shape), max(shape) if full else size)
        c[:size, :size] = turns.T
        left = factors.with_q(reflections, taus, c, transposed=False)
        wanted = (left, values, right) if tall is a else (right.T, values, left.T)
        found = everywhere(lambda x, full=full: torch.linalg.svd(x, full), [a])
        assert all(same_bits(own, one) for own, one in zip(found, wanted, strict=True))
    (found,) = everywhere(torch.linalg.svdvals, [a])
    assert same_bits(found, values)
    assert np.abs(left[:, :size] @ np.diag(values) @ right - tall).max() < 1e-13


def test_vectors_of_values_that_are_zero_complete_a_basis():
    a = torch.zeros(2, 5, 4)
    a[1, 0, 0], a[1, 2, 3] = 3, -2
    with samebits.exact():
        left, values, right = torch.linalg.svd(a)
        assert values.tolist() == [[0, 0, 0, 0], [3, 2, 0, 0]]
        assert (left @ left.mT).sub(torch.eye(5)).abs().max() < 1e-6
        assert (right @ right.mT).sub(torch.eye(4)).abs().max() < 1e-6
        assert (left[..., :4] * values[:, None] @ right).sub(a).abs().max() < 1e-6
        assert torch.linalg.matrix_rank(a).tolist() == [0, 2]


def test_a_matrix_alone_and_in_a_batch_and_of_any_layout():
    a = torch.randn(5, 12, 12)
    with samebits.exact():
        values, vectors = torch.linalg.eigh(a)
        parts = torch.linalg.svd(a)
        torch.set_num_threads(3)
        assert same_bits(torch.linalg.eigh(a[2])[1], vectors[2])
        assert same_bits(torch.linalg.eigh(a.mT.contiguous().mT)[0], values)
        for own, one in zip(torch.linalg.svd(a[2:3]), parts, strict=True):
            assert same_bits(own, one[2:3])


def test_errors_against_binary64_are_those_of_one_rounding():
    a = torch.randn(60, 40)
    with samebits.exact():
        values = torch.linalg.svdvals(a)
        own = torch.linalg.eigvalsh(a.mT @ a)
    right = torch.linalg.svdvals(a.double())
    assert ((values - right) / right).abs().max() < 2**-23
    squares = (right**2).flip(0)
    assert (own - squares).abs().max() < 1e-5 * squares.max()


@pytest.mark.parametrize("function", [torch.linalg.eigh, torch.linalg.svd])
def test_what_is_not_finite_is_an_error(function):
    a = torch.randn(4, 4)
    a[1, 1] = float("nan")
    with samebits.exact(), pytest.raises(torch.linalg.LinAlgError):
        function(a)
    with samebits.exact(), pytest.raises(NotExactError, match="complex64"):
        function(torch.ones(3, 3, dtype=torch.complex64))


def symmetrised(a):
    return a + a.mT


CASES = {
    "eigh": (lambda a: torch.linalg.eigh(symmetrised(a))[0], [(2, 6, 6)]),
    "function of a matrix": (
        lambda a: (lambda w, v: (v * w.tanh()) @ v.mT)(*torch.linalg.eigh(symmetrised(a))),
        [(6, 6)],
    ),
    "svd": (lambda a: (lambda u, s, v: (u * s.tanh()) @ v)(*torch.linalg.svd(a, False)), [(7, 4)]),
    "svdvals": (torch.linalg.svdvals, [(2, 4, 6)]),
    "nuclear norm": (lambda a: torch.linalg.matrix_norm(a, "nuc"), [(2, 4, 6)]),
    "spectral norm": (lambda a: torch.linalg.matrix_norm(a, 2), [(2, 4, 6)]),
    "pinv": (torch.linalg.pinv, [(2, 6, 4)]),
    "pinv, hermitian": (lambda a: torch.linalg.pinv(symmetrised(a), hermitian=True), [(5, 5)]),
    "cond": (torch.linalg.cond, [(4, 4)]),
}


@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives_against_binary64(name):
    function, shapes = CASES[name]
    torch.manual_seed(4)
    check(function, *(torch.randn(shape) for shape in shapes), tolerance=1e-4)


@pytest.mark.parametrize("function", [torch.linalg.qr, torch.linalg.eigh, torch.linalg.svdvals])
@pytest.mark.parametrize("scale", [1e-160, 1e155])
def test_numbers_whose_squares_do_not_fit_are_refused(function, scale):
    matrix = torch.tensor([[2.0, 1.0], [1.0, 3.0]], dtype=torch.float64) * scale
    with samebits.exact():
        with pytest.raises(NotExactError, match="Scale the matrix"):
            function(matrix)
        function(torch.zeros(2, 2, dtype=torch.float64))
        function(matrix / scale)
