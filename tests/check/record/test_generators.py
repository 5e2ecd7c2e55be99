"""Fingerprints of the generators' states."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from samebits.check.record.generators import GeneratorStates

SEEDS = {
    "python": lambda seed: random.seed(seed),
    "numpy": lambda seed: np.random.seed(seed),
    "torch": lambda seed: torch.manual_seed(seed),
}
DRAWS = {
    "python": lambda: random.random(),
    "numpy": lambda: np.random.rand(),
    "torch": lambda: torch.rand(1),
}


@pytest.mark.parametrize("name", SEEDS)
def test_a_draw_and_a_seed_change_the_digest(name):
    SEEDS[name](0)
    states = GeneratorStates(all_seeded=True)
    before = states.digest()
    assert states.digest() == before
    DRAWS[name]()
    after = states.digest()
    assert after != before
    SEEDS[name](0)
    DRAWS[name]()
    assert states.digest() == after


@pytest.mark.parametrize("name", SEEDS)
def test_the_digest_of_a_state_does_not_depend_on_the_way_to_it(name):
    digests = []
    for _ in range(2):
        states = GeneratorStates(all_seeded=True)
        for seed in SEEDS.values():
            seed(7)
        digests.append(states.digest())
        DRAWS[name]()
        digests.append(states.digest())
    assert digests[:2] == digests[2:]


@pytest.mark.parametrize("name", ["python", "numpy"])
def test_generators_that_nobody_seeded_count_only_under_control(name):
    states = GeneratorStates(all_seeded=False)
    before = states.digest()
    DRAWS[name]()
    assert states.digest() == before


def test_torchs_counts_once_it_was_seeded_by_choice():
    torch.seed()
    states = GeneratorStates(all_seeded=False)
    before = states.digest()
    torch.rand(3)  # of the system's entropy: no two runs have the same
    assert states.digest() == before
    for seed in (3, 2**40):
        torch.manual_seed(seed)
        seeded = states.digest()
        assert seeded != before
        torch.rand(3)
        assert states.digest() not in (seeded, before)


def test_another_numpy_generator_is_read_by_its_public_state(monkeypatch):
    states = GeneratorStates(all_seeded=True)
    legacy = np.random.RandomState(np.random.PCG64(0))
    monkeypatch.setattr(np.random.mtrand, "_rand", legacy)
    before = states.digest()
    legacy.rand()
    assert states.digest() != before
