"""Functions in binary64: correctly rounded, in every build, quickly or by whole numbers."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.arithmetic.bits import same_bits
from tests.arithmetic.conftest import builds

import samebits
from samebits.arithmetic import _exact
from samebits.arithmetic import reference_functions as reference
from samebits.arithmetic.kernels import elementwise

FUNCTIONS = [
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "asin", "acos", "atan",
    "tanh", "erf", "erfc", "sigmoid",
]  # fmt: skip

SPECIAL = np.array(
    [
        *(
            0.0,
            1.0,
            0.5,
            2.0,
            np.inf,
            np.nan,
            5e-324,
            2.2e-308,
            1.7e308,
            745.1,
            746.0,
            709.7,
            709.8,
        ),
        *(1e-20, 2.0**-53, 2.0**-54, 6.0, 5.9, 26.5, 27.2, 1023.0, 1075.0, 1074.5, 1e22, 1000.0),
        *(np.pi, np.pi / 2, 1e5 * np.pi, 2.0**21, 36.7, 659.0, 661.0, 1 - 2.0**-53, 1 + 2.0**-52),
    ]
)


def cases(count: int, seed: int) -> np.ndarray:
    """Numbers of every size, ordinary ones, those next to 1, and special ones of both signs."""
    rng = np.random.default_rng(seed)
    patterns = rng.integers(0, 2**64, count, dtype=np.uint64).view(np.float64)
    ordinary = rng.standard_normal(count) * rng.choice([0.01, 1, 30], count)
    near = 1 + rng.integers(-1000, 1000, count) * 2.0**-52
    small = np.ldexp(rng.uniform(0.5, 1, count), rng.integers(-60, 2, count))
    return np.concatenate([patterns, ordinary, near, small, -small, SPECIAL, -SPECIAL])


def in_each_build(name: str, *operands: np.ndarray) -> torch.Tensor:
    results = []
    for build in builds():
        assert _exact.set_isa(build)
        results.append(elementwise(name, *map(torch.from_numpy, operands)))
    assert all(same_bits(result, results[0]) for result in results)
    return results[0]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_correctly_rounded(name):
    x = cases(60, seed=len(name))
    assert same_bits(in_each_build(name, x), reference.function(name, x))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_builds_agree(name):
    in_each_build(name, cases(4000, seed=1))
    in_each_build(name, np.linspace(-8, 8, 1 << 14))


# Values within 2^-60 of the middle between two doubles, or next to it: pairs leave these open.
HARD = {
    "exp": ["-0x1.ed318efb627eap-27", "0x1.83d4bcdebb3f4p+2", "-0x1.b5076fcbc90bcp-22"],
    "log": ["0x1.62a88613629b6p+678", "0x1.c7e1077f9aec2p-1", "0x1.ab50b409c8aeep+8"],
    "sin": ["0x1.9283586503fe5p-5", "0x1.1d5b0f2ce2d4cp-9", "0x1.598bae9e632f6p-7"],
    "cos": ["0x1.06b505550e6b2p-9", "0x1.9fb6d7d4b1b5dp-8"],
    "sigmoid": [(2.0**-52).hex(), (-(2.0**-52)).hex(), (3 * 2.0**-53).hex()],
}


@pytest.mark.parametrize("name", HARD)
def test_arguments_next_to_the_middle(name):
    x = np.array([float.fromhex(text) for text in HARD[name]])
    assert same_bits(in_each_build(name, x), reference.function(name, x))


def bases_and_exponents() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    x = np.abs(cases(60, seed=5))
    finite = np.where((x > 0) & np.isfinite(x) & (x != 1), x, 3.0)
    y = rng.uniform(-1080, 1030, x.size) / np.log2(finite)
    other, exponent = cases(40, seed=6), cases(40, seed=7)
    rng.shuffle(exponent)
    return np.concatenate([x, other, -x]), np.concatenate([y, exponent, np.round(y)])


def test_powers_are_correctly_rounded():
    x, y = bases_and_exponents()
    assert same_bits(in_each_build("pow", x, y), reference.power(x, y))


def test_powers_that_are_the_middle_between_two_doubles():
    rng = np.random.default_rng(5)
    x, y = [2.0, 2.0**-1074, 4.0, 0.25], [-1075.0, 1.0, -537.5, 537.5]
    for k in (2, 3, 4):
        for base in rng.integers(int(2 ** (53 / k)), int(2 ** (54 / k)), 40) | 1:
            x += [float(base), float(base**2) if k > 2 else float(base)]
            y += [float(k), k / 2 if k > 2 else float(k)]
    x, y = np.array(x), np.array(y)
    assert same_bits(in_each_build("pow", x, y), reference.power(x, y))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_angles_are_correctly_rounded(dtype):
    x, y = cases(30, seed=8), cases(30, seed=9)
    np.random.default_rng(0).shuffle(y)
    grid = [
        g.ravel() for g in np.meshgrid([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan], SPECIAL[:9])
    ]
    with np.errstate(all="ignore"):
        x, y = (np.concatenate(pair).astype(dtype) for pair in ((x, grid[0]), (y, grid[1])))
    assert same_bits(in_each_build("atan2", y, x), reference.arc_tangent(y, x))
    assert same_bits(in_each_build("atan2", x, y), reference.arc_tangent(x, y))


def test_a_subnormal_quotient_in_the_middle_goes_below_it():
    rng = np.random.default_rng(1)
    odd, factor = rng.integers(1, 2**20, 50) * 2 + 1, rng.integers(1, 2**20, 50)
    y = np.ldexp((odd * factor).astype(np.float64), -500)
    x = np.ldexp(factor.astype(np.float64), 575)
    assert same_bits(in_each_build("atan2", y, x), reference.arc_tangent(y, x))


def test_what_needs_functions_is_covered_in_float64():
    from torch.nn import functional

    x = torch.linspace(-2, 2, 40, dtype=torch.float64).view(8, 5).requires_grad_()
    with samebits.exact():
        for f in (
            lambda t: t.softmax(-1),
            lambda t: t.log_softmax(0),
            lambda t: functional.cross_entropy(t, torch.arange(8) % 5),
            functional.gelu,
            lambda t: functional.gelu(t, approximate="tanh"),
            functional.silu,
            functional.mish,
            lambda t: t.exp().norm(3),
            lambda t: torch.logsumexp(t, 1),
        ):
            found = f(x)
            gradient = torch.autograd.grad(found.sum(), x)[0]
            with torch.no_grad(), torch.utils._python_dispatch._disable_current_modes():
                right = f(x.detach())
            assert torch.allclose(found, right, rtol=1e-13, atol=1e-14)
            assert gradient.dtype == torch.float64
