"""Some functions have two ways to a value, one a kind of processor: equal for every argument."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.arithmetic.bits import same_bits
from tests.arithmetic.conftest import builds

from samebits.arithmetic import _exact
from samebits.arithmetic.kernels import elementwise

CHUNK = 1 << 22
FUNCTIONS = ["exp", "gelu", "gelu_backward"]


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


needs_both = pytest.mark.skipif(
    not {"avx512", "avx2"} <= set(builds()), reason="this processor has one of the two ways only"
)
each_function = pytest.mark.parametrize("name", FUNCTIONS)


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


@needs_both
@pytest.mark.slow
@each_function
def test_every_argument(name: str):
    for begin in range(0, 1 << 32, CHUNK):
        patterns = np.arange(begin, begin + CHUNK, dtype=np.uint64).astype(np.uint32)
        wrong = disagreement(name, patterns)
        assert not wrong.size, [f"{bits:08x}" for bits in wrong[:20]]
