"""Special functions, windows and distributions that are formulas: near the truth, and fixed."""

from __future__ import annotations

import math

import mpmath
import pytest
import torch
from tests.arithmetic.conftest import builds

import samebits
from samebits.arithmetic import _exact
from samebits.errors import NotExactError

X = torch.tensor([-4.3, -0.7, 1e-9, 0.2, 0.9, 1.3, 1.7, 2.3, 4.6, 9.0, 31.0], dtype=torch.float64)
UNIT = torch.tensor([-0.9999999, -0.6, -0.03, 1e-12, 0.3, 0.5, 0.999], dtype=torch.float64)

FUNCTIONS = {
    "lgamma": (torch.lgamma, X, lambda v: mpmath.log(abs(mpmath.gamma(v)))),
    "digamma": (torch.digamma, X, mpmath.digamma),
    "polygamma": (lambda x: torch.polygamma(1, x), X, lambda v: mpmath.polygamma(1, v)),
    "erfinv": (torch.erfinv, UNIT, mpmath.erfinv),
    "i0": (torch.i0, X, lambda v: mpmath.besseli(0, v)),
    "i1": (torch.special.i1, X, lambda v: mpmath.besseli(1, v)),
    "i0e": (torch.special.i0e, X, lambda v: mpmath.besseli(0, v) * mpmath.exp(-abs(v))),
    "i1e": (torch.special.i1e, X, lambda v: mpmath.besseli(1, v) * mpmath.exp(-abs(v))),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_near_the_truth(name):
    function, x, truth = FUNCTIONS[name]
    with samebits.exact():
        wide, narrow = function(x), function(x.float())
    with mpmath.workdps(40):
        right = [truth(mpmath.mpf(v)) for v in x.tolist()]
        of_float = [truth(mpmath.mpf(v)) for v in x.float().tolist()]
    for found, value in zip(wide.tolist(), right, strict=True):
        assert abs(found - value) <= 2e-14 * abs(value)
    for found, value in zip(narrow.tolist(), of_float, strict=True):
        assert abs(found - value) <= 6.1e-8 * abs(value)


def test_edges():
    inf, nan = math.inf, math.nan
    with samebits.exact():
        assert torch.lgamma(torch.tensor([0.0, -1, inf, -inf, 1, 2])).tolist() == [inf] * 4 + [0, 0]
        assert torch.digamma(torch.tensor([0.0, -0.0, inf])).tolist() == [-inf, inf, inf]
        assert bool(torch.digamma(torch.tensor([-1.0, -inf, nan])).isnan().all())
        assert torch.erfinv(torch.tensor([1.0, -1, 0])).tolist() == [inf, -inf, 0]
        assert bool(torch.erfinv(torch.tensor([1.1, nan])).isnan().all())
        assert torch.i0(torch.tensor([0.0, inf, -inf])).tolist() == [1, inf, inf]
        assert torch.special.i1(torch.tensor([0.0, inf, -inf])).tolist() == [0, inf, -inf]
        with pytest.raises(NotExactError, match="order 2"):
            torch.polygamma(2, torch.ones(3))


def test_derivatives():
    with samebits.exact():
        for function, slope in (
            (torch.lgamma, torch.digamma),
            (torch.digamma, lambda t: torch.polygamma(1, t)),
            (torch.i0, torch.special.i1),
        ):
            x = X[3:].clone().requires_grad_()
            function(x).sum().backward()
            assert torch.allclose(x.grad, slope(X[3:]), rtol=1e-14)


WINDOWS = {
    "hann": torch.hann_window,
    "hamming": torch.hamming_window,
    "blackman": torch.blackman_window,
    "bartlett": torch.bartlett_window,
    "kaiser": torch.kaiser_window,
}


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("periodic", [False, True])
def test_windows(name, periodic):
    for n in (0, 1, 2, 7, 64):
        for dtype in (torch.float32, torch.float64):
            with samebits.exact():
                found = WINDOWS[name](n, periodic, dtype=dtype)
            right = WINDOWS[name](n, periodic, dtype=torch.float64)
            assert found.dtype == dtype
            assert torch.allclose(found.double(), right, rtol=0, atol=8 * torch.finfo(dtype).eps)


def test_windows_with_numbers():
    with samebits.exact():
        found = torch.hamming_window(5, True, 0.6, 0.4), torch.kaiser_window(9, False, 5.0)
    right = torch.hamming_window(5, True, 0.6, 0.4), torch.kaiser_window(9, False, 5.0)
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(found, right, strict=True))


COUNT = 4000


def drawn(draw, parameter: float, dtype=torch.float32) -> torch.Tensor:
    torch.manual_seed(3)
    with samebits.exact():
        return draw(torch.full((COUNT,), parameter, dtype=dtype))


@pytest.mark.parametrize("alpha", [0.2, 1.0, 2.5, 60.0])
def test_gammas_have_their_distribution(alpha):
    from scipy import stats

    found = drawn(torch._standard_gamma, alpha).double().numpy()
    assert stats.kstest(found, stats.gamma(alpha).cdf).pvalue > 0.01


@pytest.mark.parametrize("mean", [0.0, 0.3, 6.0, 10.0, 80.0])
def test_poisson_numbers_have_their_distribution(mean):
    from scipy import stats

    found = drawn(torch.poisson, mean)
    assert bool((found == found.floor()).all())
    if mean == 0:
        assert not bool(found.any())
        return
    counts = torch.bincount(found.long()).double().numpy()
    expected = stats.poisson(mean).pmf(range(len(counts))) * COUNT
    likely = expected > 5
    squares = ((counts - expected)[likely] ** 2 / expected[likely]).sum()
    assert stats.chi2(likely.sum()).sf(squares) > 0.01


def test_shares_add_up_and_have_their_means():
    alpha = torch.tensor([0.5, 2.0, 7.5])
    with samebits.exact():
        torch.manual_seed(0)
        found = torch.distributions.Dirichlet(alpha).sample((2000,))
        beta = torch.distributions.Beta(2.0, 6.0).sample((2000,))
    assert torch.allclose(found.sum(-1), torch.ones(2000), atol=1e-6)
    assert torch.allclose(found.mean(0), alpha / alpha.sum(), atol=0.02)
    assert abs(beta.mean() - 0.25) < 0.02


def test_an_element_depends_on_its_place_and_parameter_alone():
    alpha = torch.linspace(0.1, 9, 300)
    mean = torch.linspace(0.5, 40, 300)
    found = set()
    for build in builds():
        _exact.set_isa(build)
        with samebits.exact():
            torch.manual_seed(1)
            gammas, counts = torch._standard_gamma(alpha), torch.poisson(mean)
            torch.manual_seed(1)
            few = torch._standard_gamma(alpha[:7])
            assert few.equal(gammas[:7])
        found.add(samebits.fingerprint([gammas, counts]))
    assert len(found) == 1


def test_parameters_without_a_distribution():
    with samebits.exact():
        assert bool(torch._standard_gamma(torch.tensor([-1.0, 0.0, math.nan])).isnan().all())
        assert torch._standard_gamma(torch.empty(0)).numel() == 0
        with pytest.raises(RuntimeError):
            torch.poisson(torch.tensor([-1.0]))
