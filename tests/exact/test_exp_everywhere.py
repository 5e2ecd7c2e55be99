"""exp has two ways to its value, one a kind of processor: the same float for every argument."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.exact.bits import same_bits
from tests.exact.conftest import builds

from samebits import _exact
from samebits.exact.kernels import elementwise

CHUNK = 1 << 22


def disagreement(patterns: np.ndarray) -> np.ndarray:
    """The arguments for which two builds give different floats."""
    x = torch.from_numpy(patterns.view(np.float32))
    results = []
    for build in ("avx512", "avx2"):
        assert _exact.set_isa(build)
        results.append(elementwise("exp", x))
    if same_bits(*results):
        return patterns[:0]
    return patterns[results[0].numpy().view(np.uint32) != results[1].numpy().view(np.uint32)]


needs_both = pytest.mark.skipif(
    not {"avx512", "avx2"} <= set(builds()), reason="this processor has one of the two ways only"
)


@needs_both
def test_a_sample():
    patterns = np.arange(0, 1 << 32, 4099, dtype=np.uint64).astype(np.uint32)
    assert not disagreement(patterns).size


@needs_both
@pytest.mark.slow
def test_every_argument():
    for begin in range(0, 1 << 32, CHUNK):
        patterns = np.arange(begin, begin + CHUNK, dtype=np.uint64).astype(np.uint32)
        wrong = disagreement(patterns)
        assert not wrong.size, [f"{bits:08x}" for bits in wrong[:20]]
