"""Registered generators, other parts' generators and named streams count as global."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from samebits.errors import UsageError
from samebits.training.control import (
    Streams,
    capture,
    isolated_rng,
    register_generator,
    register_source,
    restore,
    unregister_generator,
)
from samebits.training.control import rng_sources as sources
from samebits.training.control.generator_objects import (
    generator_kind,
    generator_state,
    set_generator_state,
)
from samebits.training.control.streams import stream_names

MAKERS = {
    "python": lambda seed: random.Random(seed),
    "numpy": np.random.default_rng,
    "numpy-legacy": np.random.RandomState,
    "numpy-bits": np.random.Philox,
    "torch": lambda seed: torch.Generator().manual_seed(seed),
}


def draw(generator: object) -> float:
    if isinstance(generator, torch.Generator):
        return float(torch.rand(1, generator=generator))
    if isinstance(generator, np.random.BitGenerator):
        return float(generator.random_raw())
    return float(generator.random())  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def registry_put_back() -> Iterator[None]:
    before = dict(sources._sources), dict(sources._generators)
    yield
    for registry, content in zip((sources._sources, sources._generators), before, strict=True):
        registry.clear()
        registry.update(content)


@pytest.mark.parametrize("kind", MAKERS)
def test_a_state_goes_there_and_back(kind: str) -> None:
    generator = MAKERS[kind](3)
    assert generator_kind(generator) == kind
    draw(generator)
    state = generator_state(generator)
    wanted = draw(generator)
    other = MAKERS[kind](99)
    set_generator_state(other, state)
    assert draw(other) == wanted


@pytest.mark.parametrize("kind", MAKERS)
def test_a_registered_generator_is_isolated(kind: str) -> None:
    generator = MAKERS[kind](3)
    register_generator("mine", generator)
    with isolated_rng():
        first = draw(generator)
    assert draw(generator) == first
    unregister_generator("mine")
    with isolated_rng():
        after = draw(generator)
    assert draw(generator) != after


def test_a_state_of_another_kind_or_algorithm_is_refused() -> None:
    with pytest.raises(UsageError, match=r"kind numpy, the generator is of kind python"):
        set_generator_state(random.Random(0), generator_state(np.random.default_rng(0)))
    state = generator_state(np.random.Generator(np.random.Philox(0)))
    with pytest.raises(UsageError, match="one of Philox, the generator uses PCG64"):
        set_generator_state(np.random.default_rng(0), state)


@pytest.mark.parametrize("wrong", [3, random.SystemRandom(), "generator"])
def test_what_is_no_generator_is_refused(wrong: object) -> None:
    with pytest.raises(UsageError, match="no generator whose state can be read"):
        register_generator("mine", wrong)
    with pytest.raises(UsageError, match="must be a string"):
        register_generator("", random.Random(0))


def test_another_part_is_asked() -> None:
    state = {"counter": 5}

    def put_back(stored: dict[str, int]) -> None:
        state.update(stored)

    register_source("part", capture=lambda: dict(state), restore=put_back)
    with isolated_rng():
        state["counter"] = 9
    assert state["counter"] == 5


def test_streams_are_isolated_and_new_names_start_over() -> None:
    streams = Streams(0)
    streams.numpy("old").random()
    before = capture()
    wanted = streams.numpy("old").random(), streams.torch("new").initial_seed()
    fresh = float(streams.python("later").random())
    restore(before)
    assert (streams.numpy("old").random(), streams.torch("new").initial_seed()) == wanted
    assert streams.python("later").random() == fresh


def test_the_newest_streams_of_a_seed_have_its_plain_name() -> None:
    older, newer, ranked = Streams(123), Streams(123), Streams(123, rank=1)
    names = stream_names()
    assert names[newer.number] == "seed 123"
    assert names[older.number] == "seed 123 #2"
    assert names[ranked.number] == "seed 123, rank 1"
