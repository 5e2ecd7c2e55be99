"""What holds for every test."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator

import pytest
import torch
from hypothesis import HealthCheck, settings

# No test hangs on how busy the machine is: neither on a deadline nor on the pace at which
# examples are made.
settings.register_profile("any-pace", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-pace")

# torch's own test helpers, which some tests import, forbid the rest of the process to set flags.
torch.backends.disable_global_flags = lambda: None


def pytest_collection_finish() -> None:
    """Keep the collector away from what thousands of collected tests are made of.

    They live to the end, and to walk them at each collection took half the time of some tests.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def control_c_works() -> Iterator[None]:
    """What a shell starts in the background is deaf to Control-C, and so are its children."""
    before = signal.getsignal(signal.SIGINT)
    if before == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
