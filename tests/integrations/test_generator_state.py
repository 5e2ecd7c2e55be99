"""The states of all generators, out and in again, also through torch's safe reading of files."""

from __future__ import annotations

import copy
import io

import numpy as np
import pytest
import torch

from samebits.errors import UsageError
from samebits.integrations.generator_state import generators_from_state, generators_to_state

from .conftest import draw


def through_a_file(state):
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


@pytest.mark.parametrize("waiting", [False, True])
def test_out_and_in_again(waiting):
    if waiting:
        draw()
    state = through_a_file(generators_to_state())
    expected = [draw() for _ in range(3)]
    generators_from_state(state)
    assert [draw() for _ in range(3)] == expected


@pytest.mark.parametrize(
    "spoil",
    [
        lambda state: state.clear(),
        lambda state: state.pop("numpy"),
        lambda state: state.update(python=None),
        lambda state: state["python"].update(words=torch.zeros(3)),
        lambda state: state["numpy"].update(words=torch.zeros(3)),
        lambda state: state.update(cuda=[torch.zeros(16, dtype=torch.uint8)] * 99),
    ],
)
def test_what_is_no_state_changes_nothing(spoil):
    state = generators_to_state()
    wrong = copy.deepcopy(state)
    spoil(wrong)
    expected = draw()
    generators_from_state(state)
    with pytest.raises(UsageError):
        generators_from_state(wrong)
    assert draw() == expected


def test_another_bit_generator_is_refused():
    before = np.random.get_bit_generator()
    np.random.set_bit_generator(np.random.PCG64(0))
    try:
        with pytest.raises(UsageError, match="PCG64"):
            generators_to_state()
    finally:
        np.random.set_bit_generator(before)
