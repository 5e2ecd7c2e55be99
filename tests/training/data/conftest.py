"""What all tests of loading share."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
import torch

# Forking while torch's threads sleep is what loaders do everywhere; from 3.12 on Python warns.
# How many cores a machine has is not the tests' concern either.
HARMLESS = (
    "ignore:.*use of fork.. may lead to deadlocks.*:DeprecationWarning",
    "ignore:This DataLoader will create .* worker processes:UserWarning",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/training/data/" in item.path.as_posix():
            for line in HARMLESS:
                item.add_marker(pytest.mark.filterwarnings(line))


@pytest.fixture(autouse=True)
def generators_put_back() -> Iterator[None]:
    """Known states before each test, and after it those that were there before."""
    states = random.getstate(), np.random.get_state(), torch.get_rng_state()
    random.seed(1)
    np.random.seed(2)
    torch.manual_seed(3)
    yield
    random.setstate(states[0])
    np.random.set_state(states[1])
    torch.set_rng_state(states[2])
