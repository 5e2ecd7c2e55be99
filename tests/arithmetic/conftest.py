"""Every test leaves threads, kernels and torch's switches as they were."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from samebits.arithmetic import _exact

LONG = np.longdouble(3)
"""On x86 the x87 unit computes with it, which shares its registers with MMX."""


@pytest.fixture(autouse=True)
def nothing_leaks() -> Iterator[None]:
    threads, build = torch.get_num_threads(), _exact.isa()
    mkldnn = torch._C._get_mkldnn_enabled()
    torch.manual_seed(0)
    # torch's threads are born with the state of their maker, which may have flushed subnormals.
    torch.set_flush_denormal(False)
    _exact.make_team_plain()
    yield
    torch.set_num_threads(threads)
    _exact.set_isa(build)
    assert torch._C._len_torch_dispatch_stack() == 0
    assert torch._C._get_mkldnn_enabled() == mkldnn
    assert LONG * LONG == 9, "a kernel has left MMX's registers in use: x87 gives NaN from here on"


def builds() -> list[str]:
    """The builds of the kernels that run on this processor."""
    current = _exact.isa()
    try:
        return [name for name in ("avx512", "avx2", "neon", "plain") if _exact.set_isa(name)]
    finally:
        _exact.set_isa(current)
