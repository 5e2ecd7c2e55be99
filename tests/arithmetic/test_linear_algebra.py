"""Factorisations and solutions: bits against the reference, values against binary64."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.arithmetic.bits import same_bits
from tests.arithmetic.conftest import builds

import samebits
from samebits.arithmetic import _exact
from samebits.arithmetic import reference_linear_algebra as reference

SHAPES = [(1, 1), (5, 3), (3, 5), (16, 16), (17, 40), (40, 17), (33, 33), (70, 2), (2, 70)]


def matrix(rows: int, columns: int, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, columns))


def everywhere(compute, arguments):
    """What an operation gives for binary64, in every build and for several numbers of threads."""
    found = []
    for place, build in enumerate(builds()):
        assert _exact.set_isa(build)
        for threads in (1, 2, 3) if place == 0 else (1,):
            torch.set_num_threads(threads)
            with samebits.exact():
                result = compute(*(torch.from_numpy(np.array(x)) for x in arguments))
            found.append(result if isinstance(result, tuple) else (result,))
    for other in found[1:]:
        assert all(same_bits(x, y) for x, y in zip(found[0], other, strict=True))
    return [part.numpy() for part in found[0]]


@pytest.mark.parametrize("shape", SHAPES)
def test_qr(shape):
    a = matrix(*shape)
    a[:, -1] = a[:, 0]
    reflections, taus = reference.qr(a)
    found, factors = everywhere(torch.geqrf, [a])
    assert same_bits(found, reflections)
    assert same_bits(factors, taus)
    for mode, kept in (("reduced", len(taus)), ("complete", shape[0])):
        q, r = everywhere(lambda x, mode=mode: torch.linalg.qr(x, mode), [a])
        assert same_bits(q, reference.columns_of_q(reflections, taus, kept))
        assert same_bits(r, np.triu(reflections[:kept]))
    c = matrix(shape[0], 19)
    if shape[0] >= shape[1]:
        for transposed in (False, True):
            (found,) = everywhere(
                lambda x, t, y, how=transposed: torch.ormqr(x, t, y, transpose=how),
                [reflections, taus, c],
            )
            assert same_bits(found, reference.with_q(reflections, taus, c, transposed=transposed))


@pytest.mark.parametrize("shape", SHAPES)
def test_lu(shape):
    a = matrix(*shape)
    if min(shape) > 4:
        a[:, 4] = 0  # a pivot that is 0, and ties
        a[:, 2] = np.sign(a[:, 2])
    found, pivots, info = everywhere(lambda x: torch.linalg.lu_factor_ex(x), [a])
    factors, wanted_pivots, wanted_info = reference.lu(a)
    assert same_bits(found, factors)
    assert same_bits(pivots, wanted_pivots)
    assert info == wanted_info


@pytest.mark.parametrize("size", [1, 3, 16, 17, 40])
def test_cholesky_and_substitution(size):
    a = matrix(size, size)
    positive = a @ a.T + np.eye(size)
    factor, info = reference.cholesky(positive)
    found, found_info = everywhere(torch.linalg.cholesky_ex, [positive])
    assert same_bits(found, factor)
    assert found_info == info == 0
    (found,) = everywhere(lambda x: torch.linalg.cholesky(x, upper=True), [positive.T])
    assert same_bits(found, factor.T)
    b = matrix(size, 19, seed=5)
    for upper in (False, True):
        for unit in (False, True):
            (found,) = everywhere(
                lambda x, y, upper=upper, unit=unit: torch.linalg.solve_triangular(
                    x, y, upper=upper, unitriangular=unit
                ),
                [a, b],
            )
            assert same_bits(found, reference.substitute(a, b, upper=upper, unit=unit))


def test_a_matrix_that_is_not_positive_gets_no_factor():
    a = np.diag([4.0, 1.0, -1.0, 9.0])
    found, info = everywhere(torch.linalg.cholesky_ex, [a])
    with np.errstate(invalid="ignore"):
        wanted, place = reference.cholesky(a)
    assert same_bits(found, wanted)
    assert np.isnan(found[2, 2])
    assert info == place == 3
    with samebits.exact(), pytest.raises(torch.linalg.LinAlgError, match="positive-definite"):
        torch.linalg.cholesky(torch.from_numpy(a))


@pytest.mark.parametrize("size", [1, 2, 17, 40])
def test_solutions(size):
    a, b = matrix(size, size), matrix(size, 7, seed=6)
    wanted = reference.solve(a, b)
    (found,) = everywhere(torch.linalg.solve, [a, b])
    assert same_bits(found, wanted)
    (found,) = everywhere(torch.linalg.solve, [a, b[:, 0]])
    assert same_bits(found, wanted[:, 0])
    (found,) = everywhere(torch.linalg.inv, [a])
    assert same_bits(found, reference.solve(a, np.eye(size)))
    factors, pivots, _ = reference.lu(a)
    pivots = torch.from_numpy(pivots)
    (found,) = everywhere(lambda x, y: torch.linalg.lu_solve(x, pivots, y), [factors, b])
    assert same_bits(found, wanted)
    (found,) = everywhere(
        lambda x, y: torch.linalg.lu_solve(x, pivots, y, adjoint=True), [factors, b]
    )
    assert same_bits(found, reference.solve_transposed(factors, pivots.numpy(), b))
    product = reference.lu(a.T)[0].diagonal()
    (found,) = everywhere(torch.linalg.det, [a])
    right = np.prod(product, dtype=np.longdouble)
    assert abs(abs(found) - abs(right)) <= abs(right) * size * 2**-52


def test_a_solution_does_not_depend_on_the_layout_of_the_matrix_or_its_batch():
    a, b = torch.randn(3, 20, 20), torch.randn(3, 20, 4)
    with samebits.exact():
        whole = torch.linalg.solve(a, b)
        strided = torch.linalg.solve(a.mT.contiguous().mT, b)
        alone = torch.linalg.solve(a[1], b[1])
        turned = torch.linalg.det(a.mT.contiguous().mT)
        straight = torch.linalg.det(a)
    assert same_bits(whole, strided)
    assert same_bits(whole[1], alone)
    assert same_bits(turned, straight)


@pytest.mark.parametrize("function", [torch.linalg.det, torch.linalg.slogdet])
def test_a_derivative_that_would_depend_on_the_layout_is_refused(function):
    a = torch.randn(4, 4).mT.requires_grad_()
    with samebits.exact():
        with pytest.raises(samebits.errors.NotExactError, match="layout"):
            function(a)
        function(a.contiguous())


def test_what_is_not_defined_is_refused():
    with samebits.exact():
        with pytest.raises(samebits.errors.NotExactError, match="float16"):
            torch.linalg.qr(torch.ones(3, 3, dtype=torch.float16))
        with pytest.raises(RuntimeError, match="square"):
            torch.linalg.solve(torch.ones(3, 2), torch.ones(3))
        with pytest.raises(samebits.errors.NotExactError, match="complex64"):
            torch.linalg.qr(torch.ones(3, 3, dtype=torch.complex64))


def positive(x):
    return x @ x.mT + torch.eye(x.shape[-1], dtype=x.dtype)


CASES = {
    "qr": (lambda a: torch.linalg.qr(a)[0] + torch.linalg.qr(a)[1], [(2, 12, 12)]),
    "qr of a tall matrix": (lambda a: torch.linalg.qr(a)[0], [(12, 5)]),
    "householder_product": (
        lambda a: torch.linalg.householder_product(a, torch.full((3,), 0.7, dtype=a.dtype)),
        [(6, 3)],
    ),
    "cholesky": (lambda a: torch.linalg.cholesky(positive(a)), [(2, 9, 9)]),
    "cholesky_solve": (
        lambda a, b: torch.cholesky_solve(b, torch.linalg.cholesky(positive(a))),
        [(9, 9), (9, 4)],
    ),
    "cholesky_inverse": (
        lambda a: torch.cholesky_inverse(torch.linalg.cholesky(positive(a))),
        [(9, 9)],
    ),
    "solve_triangular": (
        lambda a, b: torch.linalg.solve_triangular(positive(a).triu(), b, upper=True),
        [(9, 9), (2, 9, 4)],
    ),
    "solve": (lambda a, b: torch.linalg.solve(positive(a), b), [(2, 9, 9), (9, 4)]),
    "solve from the right": (
        lambda a, b: torch.linalg.solve(positive(a), b, left=False),
        [(2, 9, 9), (4, 9)],
    ),
    "solve for a vector": (lambda a, b: torch.linalg.solve(positive(a), b), [(9, 9), (9,)]),
    "inv": (lambda a: torch.linalg.inv(positive(a)), [(2, 9, 9)]),
    "det": (lambda a: torch.linalg.det(a), [(3, 5, 5)]),
    "slogdet": (lambda a: torch.linalg.slogdet(a)[1], [(3, 5, 5)]),
    "logdet": (lambda a: torch.logdet(positive(a)), [(3, 5, 5)]),
    "lu": (lambda a: torch.linalg.lu(a)[1] + torch.linalg.lu(a)[2], [(6, 6)]),
    "lu_solve": (
        lambda a, b: torch.linalg.lu_solve(*torch.linalg.lu_factor(a), b),
        [(2, 6, 6), (6, 3)],
    ),
    "matrix_power": (lambda a: torch.linalg.matrix_power(positive(a), -3), [(5, 5)]),
    "tensorsolve": (torch.linalg.tensorsolve, [(6, 2, 3), (6,)]),
}


@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives_against_binary64(name):
    from tests.arithmetic.test_against_float64 import check

    function, shapes = CASES[name]
    check(function, *(torch.randn(shape) for shape in shapes), tolerance=3e-5)


def test_orthogonal_initialisation():
    layer = torch.nn.Linear(30, 20)
    with samebits.exact():
        torch.manual_seed(3)
        torch.nn.init.orthogonal_(layer.weight)
        product = layer.weight @ layer.weight.T
    assert (product - torch.eye(20)).abs().max() < 1e-6


def test_errors_of_a_large_matrix_are_those_of_rounding_once():
    a = torch.randn(150, 100)
    with samebits.exact():
        q, r = torch.linalg.qr(a)
    right = torch.linalg.qr(a.double())
    for own, wanted in zip((q, r), right, strict=True):
        assert (own - wanted).abs().max() <= wanted.abs().max() * 2**-24
