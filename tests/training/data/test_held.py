"""Generators that datasets, transforms and collating hold: found, named, set for each sample."""

from __future__ import annotations

import functools
import random

import numpy as np
import pytest
import torch
from torch.utils.data import IterableDataset, Subset

from samebits import DataLoader
from samebits.training.data.held import find

from .datasets import Augmented, same

MAKERS = {
    "numpy": np.random.default_rng,
    "numpy, another algorithm": lambda: np.random.Generator(np.random.SFC64()),
    "numpy, legacy": np.random.RandomState,
    "python": random.Random,
    "torch": torch.Generator,
}


def number(generator) -> float:
    if isinstance(generator, torch.Generator):
        return float(torch.rand((), generator=generator, dtype=torch.float64))
    return float(generator.random())


class Noise:
    """A transform with a generator of its own."""

    def __init__(self, maker) -> None:
        self.rng = maker()

    def __call__(self, index: int) -> torch.Tensor:
        return torch.tensor([index, number(self.rng)], dtype=torch.float64)


class Transformed(Augmented):
    """Holds its generators in transforms in a list."""

    def __init__(self, maker, size: int = 24) -> None:
        super().__init__(size)
        self.transforms = [Noise(maker)]

    def __getitem__(self, index: int) -> torch.Tensor:
        return self.transforms[0](index)


class Late(Augmented):
    """Makes its generator when the first sample is asked for."""

    rng = None

    def __getitem__(self, index: int) -> torch.Tensor:
        if self.rng is None:
            self.rng = np.random.default_rng()
        return torch.tensor([index, self.rng.random()], dtype=torch.float64)


@pytest.mark.filterwarnings("ignore:The loader sets")
@pytest.mark.parametrize("maker", MAKERS)
def test_generators_of_every_kind(maker):
    def rows(workers):
        loader = DataLoader(
            Subset(Transformed(MAKERS[maker]), range(24)), batch_size=4, num_workers=workers, seed=1
        )
        return torch.cat([batch for _ in range(2) for batch in loader])

    expected = rows(0)
    assert same(rows(2), expected)
    assert len(expected[:, 1].unique()) == 48


def test_they_are_named_once():
    with pytest.warns(UserWarning, match="for each sample") as told:
        loader = DataLoader(
            Transformed(np.random.default_rng), collate_fn=functools.partial(print, random.Random())
        )
    assert len(told) == 1
    assert told[0].filename == __file__
    text = str(told[0].message)
    assert "dataset.transforms[0].rng (numpy.Generator), collate_fn.args[0] (random.Random)" in text
    assert loader.seed == torch.initial_seed()


@pytest.mark.filterwarnings("ignore:The loader sets")
def test_the_persons_own_generator_stands_where_it_stood():
    for maker in MAKERS.values():
        dataset = Transformed(maker)
        generator = dataset.transforms[0].rng
        before = [held.state() for held in find(dataset)]
        list(DataLoader(dataset))
        after = [held.state() for held in find(dataset)]
        assert repr(before) == repr(after)
        assert dataset.transforms[0].rng is generator


@pytest.mark.parametrize("workers", [0, 2])
def test_generators_that_come_late(workers):
    rows = [
        torch.cat(list(DataLoader(Late(8), batch_size=2, num_workers=workers, seed=1)))
        for _ in range(2)
    ]
    assert same(*rows)
    assert len(rows[0][:, 1].unique()) == 8


class Collate:
    def __init__(self) -> None:
        self.rng = np.random.default_rng()

    def __call__(self, samples):
        return torch.tensor([*samples, self.rng.random()], dtype=torch.float64)


@pytest.mark.filterwarnings("ignore:The loader sets")
def test_generators_of_collating():
    def batches(workers):
        return list(
            DataLoader(range(8), batch_size=2, collate_fn=Collate(), num_workers=workers, seed=1)
        )

    assert same(batches(2), batches(0))
    assert len({float(batch[-1]) for batch in batches(0)}) == 4


class NoisyStream(IterableDataset):
    def __init__(self) -> None:
        self.rng = np.random.default_rng()

    def __iter__(self):
        for place in range(24):
            yield torch.tensor([place, self.rng.random()], dtype=torch.float64)


@pytest.mark.filterwarnings("ignore:The loader sets")
def test_generators_of_a_stream():
    def rows(workers):
        loader = DataLoader(NoisyStream(), batch_size=4, num_workers=workers, seed=1)
        return torch.cat([batch for _ in range(2) for batch in loader])

    assert same(rows(2), rows(0))
    assert len(rows(0)[:, 1].unique()) == 48


class Slots:
    __slots__ = ("empty", "rng")

    def __init__(self) -> None:
        self.rng = random.Random(0)


def closure(generator):
    later: object
    return lambda: (generator, later)  # noqa: F821


def test_where_generators_are_found():
    rng = np.random.default_rng(0)
    loop: list[object] = [rng]
    loop.append(loop)
    for thing, path in (
        (Slots(), "rng"),
        (closure(rng), "generator"),
        (functools.partial(print, end=rng), "keywords['end']"),
        (Noise(lambda: rng).__call__, "__self__.rng"),
        ({"a": (1, {"b": rng})}, "['a'][1]['b']"),
        (loop, "[0]"),
    ):
        assert [held.path for held in find(thing)] == [path], path


def test_what_is_no_generator_of_the_persons():
    class Odd:
        @property
        def __dict__(self):
            raise RuntimeError("asked")

    nothing = [random, np.random, random.SystemRandom(), torch.default_generator, random.random]
    assert find([*nothing, random._inst, np.random.seed, Odd(), np.zeros(5), type, "text"]) == ()


def test_searching_ends():
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    assert find(deep) == ()
    assert find([[i] for i in range(5000)]) == ()


class Member:
    """Something that holds a generator, and lies where the process has put it."""

    def __init__(self, seed: int) -> None:
        self.generator = np.random.default_rng(seed)
        self.other = torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("kind", [set, frozenset])
def test_members_of_a_set_are_in_an_order_without_addresses(kind):
    """A set is in the order of addresses, which differ from run to run."""
    found = set()
    for shift in range(12):
        kept = [Member(0) for _ in range(shift)]  # others, so that addresses differ
        members = [Member(seed) for seed in (3, 1, 2, 5, 4)][:: 1 if shift % 2 else -1]
        states = [
            int(one.generator.initial_seed())
            for one in find(kind(members))
            if isinstance(one.generator, torch.Generator)
        ]
        assert sorted(states) == [1, 2, 3, 4, 5]
        found.add(tuple(states))
        del kept
    assert len(found) == 1
