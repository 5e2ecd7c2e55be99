"""Some functions have two ways to a value, one a kind of processor: equal for every argument."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from tests.arithmetic.bits import same_bits
from tests.arithmetic.conftest import builds

from samebits.arithmetic import _exact
from samebits.arithmetic.kernels import elementwise

CHUNK = 1 << 22
FUNCTIONS = ["exp", "gelu", "gelu_backward"]
QUICK = ["gelu", "gelu_backward"]
"""What is not computed as it is defined where that can be told to make no difference."""


def disagreement(name: str, patterns: np.ndarray) -> np.ndarray:
    """The arguments for which two builds give different floats."""
    x = torch.from_numpy(patterns.view(np.float32))
    operands = (torch.ones_like(x), x) if name == "gelu_backward" else (x,)
    results = []
    for build in ("avx512", "avx2"):
        assert _exact.set_isa(build)
        results.append(elementwise(name, *operands))
    if same_bits(*results):
        return patterns[:0]
    return patterns[results[0].numpy().view(np.uint32) != results[1].numpy().view(np.uint32)]


def composed(name: str, x: torch.Tensor) -> torch.Tensor:
    """The formula of docs/arithmetic.md, an operation after the other."""

    def times(x: torch.Tensor, number: float) -> torch.Tensor:
        return elementwise("mul_scalar", x, scalars=(number,))

    erf = elementwise("erf", times(x, math.sqrt(0.5)))
    one_plus_erf = elementwise("add_scalar", erf, scalars=(1.0,))
    if name == "gelu":
        return elementwise("mul", times(x, 0.5), one_plus_erf)
    exp = elementwise("exp", times(elementwise("mul", x, x), -0.5))
    density = elementwise("mul", x, times(exp, 1 / math.sqrt(2 * math.pi)))
    return elementwise("add", times(one_plus_erf, 0.5), density)


def wrong_when_quick(name: str, build: str, patterns: np.ndarray) -> np.ndarray:
    """The arguments for which the quick way gives other floats than the formula."""
    x = torch.from_numpy(patterns.view(np.float32))
    operands = (torch.ones_like(x), x) if name == "gelu_backward" else (x,)
    assert _exact.set_isa(build)
    found, wanted = elementwise(name, *operands), composed(name, x)
    if same_bits(found, wanted):
        return patterns[:0]
    return patterns[found.numpy().view(np.uint32) != wanted.numpy().view(np.uint32)]


needs_both = pytest.mark.skipif(
    not {"avx512", "avx2"} <= set(builds()), reason="this processor has one of the two ways only"
)
each_function = pytest.mark.parametrize("name", FUNCTIONS)
each_quick = pytest.mark.parametrize("name", QUICK)
each_build = pytest.mark.parametrize("build", [name for name in builds() if name != "plain"])


@needs_both
@each_function
def test_a_sample(name: str):
    patterns = np.arange(0, 1 << 32, 4099, dtype=np.uint64).astype(np.uint32)
    assert not disagreement(name, patterns).size


@needs_both
@each_function
def test_ordinary_arguments(name: str):
    # Between -6 and 6 the quick way of gelu does not always decide.
    patterns = np.linspace(-6, 6, 1 << 20, dtype=np.float32).view(np.uint32)
    assert not disagreement(name, patterns).size


@each_build
@each_quick
def test_the_quick_way_is_the_formula(name: str, build: str):
    sample = np.arange(0, 1 << 32, 4099, dtype=np.uint64).astype(np.uint32)
    ordinary = np.linspace(-6, 6, 1 << 20, dtype=np.float32).view(np.uint32)
    assert not wrong_when_quick(name, build, np.concatenate([sample, ordinary])).size


@pytest.mark.slow
@each_build
@each_quick
def test_the_quick_way_is_the_formula_for_every_argument(name: str, build: str):
    for begin in range(0, 1 << 32, CHUNK):
        patterns = np.arange(begin, begin + CHUNK, dtype=np.uint64).astype(np.uint32)
        wrong = wrong_when_quick(name, build, patterns)
        assert not wrong.size, [f"{bits:08x}" for bits in wrong[:20]]


@needs_both
@pytest.mark.slow
@each_function
def test_every_argument(name: str):
    for begin in range(0, 1 << 32, CHUNK):
        patterns = np.arange(begin, begin + CHUNK, dtype=np.uint64).astype(np.uint32)
        wrong = disagreement(name, patterns)
        assert not wrong.size, [f"{bits:08x}" for bits in wrong[:20]]
