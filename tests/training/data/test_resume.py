"""Taken up anywhere, by any number of workers, with the batches that were still to come."""

from __future__ import annotations

import json
import warnings

import pytest
import torch
from torch.utils.data import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

from samebits import DataLoader
from samebits.errors import UsageError

from .datasets import Augmented, Stream, same


class LazySampler(Sampler):
    """Draws before each index, from the global generator."""

    def __len__(self) -> int:
        return 50

    def __iter__(self):
        for _ in range(50):
            yield int(torch.randint(50, ()))


class OwnGenerator(LazySampler):
    """Draws before each index, from a generator that it holds."""

    def __init__(self) -> None:
        self.generator = torch.Generator()
        self.generator.seed()

    def __iter__(self):
        for _ in range(50):
            yield int(torch.randint(50, (), generator=self.generator))


class Buckets(Sampler):
    """Batches of 3 and 5 in turn, as tuples; endless if it has no length."""

    def __iter__(self):
        indices = torch.randperm(48).tolist()
        for start in range(0, 48, 8):
            yield tuple(indices[start : start + 3])
            yield tuple(indices[start + 3 : start + 8])

    def __len__(self) -> int:
        return 12


class Stateful(LazySampler):
    """Keeps its place itself; counts how often it was asked for an index."""

    def __init__(self) -> None:
        self.place = 0
        self.asked = 0

    def __iter__(self):
        while self.place < 50:
            self.place += 1
            self.asked += 1
            yield int(torch.randint(50, ()))
        self.place = 0

    def state_dict(self):
        return {"place": self.place}

    def load_state_dict(self, state) -> None:
        self.place = state["place"]


SAMPLINGS = {
    "shuffle": lambda: {"batch_size": 8, "shuffle": True},
    "in order": lambda: {"batch_size": 8},
    "drop_last": lambda: {"batch_size": 8, "shuffle": True, "drop_last": True},
    "one by one": lambda: {"batch_size": None, "shuffle": True},
    "weighted": lambda: {
        "batch_size": 8,
        "sampler": WeightedRandomSampler([1.0] * 5 + [0.01] * 45, 50),
    },
    "subset": lambda: {"batch_size": 8, "sampler": SubsetRandomSampler(range(5, 45))},
    "replacement": lambda: {
        "batch_size": 8,
        "sampler": RandomSampler(range(50), replacement=True, generator=torch.Generator()),
    },
    "lazy sampler": lambda: {"batch_size": 8, "sampler": LazySampler()},
    "sampler's generator": lambda: {"batch_size": 8, "sampler": OwnGenerator()},
    "list": lambda: {"batch_size": 8, "sampler": [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5] * 3},
    "torch's batch sampler": lambda: {
        "batch_sampler": BatchSampler(RandomSampler(range(50)), 8, drop_last=True)
    },
    "batch sampler": lambda: {"batch_sampler": Buckets()},
    "stateful sampler": lambda: {"batch_size": 8, "sampler": Stateful()},
    "batches as indices": lambda: {
        "batch_size": None,
        "sampler": BatchSampler(SequentialSampler(range(50)), 8, drop_last=False),
    },
}


class Bulk(Augmented):
    """Also takes a list of indices for an index."""

    def __getitem__(self, index):
        if isinstance(index, list):
            return torch.stack([super(Bulk, self).__getitem__(one) for one in index])
        return super().__getitem__(index)


def loader(sampling: str, workers: int = 0, **more) -> DataLoader:
    return DataLoader(Bulk(), num_workers=workers, seed=7, **SAMPLINGS[sampling](), **more)


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_resuming_after_any_batch(sampling):
    straight = loader(sampling)
    epochs = [list(straight) for _ in range(2)]
    assert not same(*epochs)
    assert len(epochs[0]) == len(straight)
    for count in range(len(straight) + 1):
        interrupted = loader(sampling)
        interrupted.set_epoch(1)
        batches = iter(interrupted)
        for _ in range(count):
            next(batches)
        state = json.loads(json.dumps(interrupted.state_dict()))
        resumed = loader(sampling)
        resumed.load_state_dict(state)
        assert resumed.state_dict() == state
        assert resumed.epoch == 1
        assert same(list(resumed), epochs[1][count:]), count
        assert resumed.epoch == 2


@pytest.mark.parametrize("sampling", ["shuffle", "weighted", "lazy sampler", "stateful sampler"])
def test_another_number_of_workers_takes_over(sampling):
    expected = list(loader(sampling))
    state = None
    found = []
    for workers, batches in ((2, 2), (0, 2), (1, 3)):
        part = loader(sampling, workers)
        if state is not None:
            part.load_state_dict(state)
        iterator = iter(part)
        found += [next(iterator) for _ in range(batches)]
        state = part.state_dict()
    assert same(found, expected)


def test_a_sampler_with_a_state_is_not_asked_again():
    first = loader("stateful sampler")
    batches = iter(first)
    for _ in range(5):
        next(batches)
    resumed = loader("stateful sampler")
    resumed.load_state_dict(first.state_dict())
    list(resumed)
    assert resumed.sampler.asked == 10


def test_an_index_that_comes_again_is_another_sample():
    rows = torch.cat(list(loader("weighted")))
    assert len(rows[:, 0].unique()) < 20
    assert len(rows[:, 1].unique()) == 50
    plain = torch.cat(list(loader("in order")))
    first_of_each = {int(row[0]): row for row in reversed(rows)}
    assert all(same(row, plain[index]) for index, row in first_of_each.items())


def test_a_far_place_is_reached_without_a_single_sample():
    class Counting(Augmented):
        fetched = 0

        def __getitem__(self, index):
            Counting.fetched += 1
            return index

    first = DataLoader(Counting(10**6), batch_size=100, shuffle=True, seed=0)
    first.load_state_dict({**first.state_dict(), "taken": 900_000, "batches": 9000})
    assert len(next(iter(first))) == 100
    assert Counting.fetched == 100


def test_another_batch_size_goes_on_with_the_next_sample():
    first = loader("shuffle")
    next(iter(first))
    resumed = DataLoader(Bulk(), batch_size=14, shuffle=True, seed=7)
    resumed.load_state_dict(first.state_dict())
    expected = torch.cat(list(loader("shuffle")))
    assert same(torch.cat(list(resumed)), expected[8:])


def test_epochs_count_from_where_they_were():
    straight = loader("shuffle")
    expected = [list(straight) for _ in range(3)]
    first = loader("shuffle")
    list(first)
    state = first.state_dict()
    assert (state["epoch"], state["finished"], first.epoch) == (0, True, 1)
    resumed = loader("shuffle")
    resumed.load_state_dict(state)
    assert resumed.epoch == 1
    assert [same(list(resumed), epoch) for epoch in expected[1:]] == [True, True]


@pytest.mark.parametrize("workers", [0, 1])
def test_choosing_the_epoch_that_was_loaded_keeps_the_place(workers):
    first = loader("shuffle")
    batches = iter(first)
    next(batches)
    middle = first.state_dict()
    list(batches)
    end = first.state_dict()
    for state, left in ((middle, 6), (end, 0)):
        resumed = loader("shuffle", workers)
        resumed.load_state_dict(state)
        resumed.set_epoch(0)
        assert resumed.epoch == 0
        assert len(list(resumed)) == left
        assert resumed.epoch == 1
        resumed.load_state_dict(state)
        resumed.set_epoch(1)
        assert len(list(resumed)) == 7


def test_choosing_an_epoch():
    straight = loader("shuffle")
    expected = [list(straight) for _ in range(3)]
    straight.set_epoch(1)
    assert straight.epoch == 1
    assert same(list(straight), expected[1])
    assert same(list(straight), expected[2])


def test_the_state_is_that_of_the_iteration_that_began_last():
    one = loader("shuffle")
    first, second = iter(one), iter(one)
    next(second)
    next(first)
    next(first)
    assert (one.state_dict()["epoch"], one.state_dict()["batches"]) == (1, 1)


def test_persistent_workers_take_up_a_state_in_between():
    expected = list(loader("shuffle"))
    one = loader("shuffle", 1, persistent_workers=True)
    batches = iter(one)
    for _ in range(3):
        next(batches)
    state = one.state_dict()
    list(batches)
    one.load_state_dict(state)
    assert same(list(one), expected[3:])
    one.load_state_dict({})
    assert one.epoch == 1


def test_a_sampler_is_told_the_epoch_and_the_person_may_tell_it():
    class Told(LazySampler):
        epoch = 0

        def set_epoch(self, epoch: int) -> None:
            self.epoch = epoch

        def __iter__(self):
            return iter([self.epoch] * 3)

    one = DataLoader(range(100), sampler=Told(), batch_size=3)
    assert [int(batch[0]) for _ in range(3) for batch in one] == [0, 1, 2]
    one.sampler.set_epoch(7)
    assert [int(batch[0]) for _ in range(2) for batch in one] == [7, 8]
    assert one.state_dict()["epoch"] == 8


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_going_to_a_batch_by_its_number(sampling):
    expected = loader(sampling)
    expected.set_epoch(2)
    batches = list(expected)
    for number in (0, 3, len(batches), len(batches) + 2):
        one = loader(sampling)
        one.seek(2, number)
        assert one.epoch == 2
        assert same(list(one), batches[number:])
        assert one.epoch == 3


@pytest.mark.parametrize("place", [(-1, 0), (0, -1), (0, 1.5)])
def test_a_place_that_is_none(place):
    with pytest.raises(UsageError, match=r"number|epoch"):
        loader("shuffle").seek(*place)


def test_a_stream_has_no_numbers():
    with pytest.raises(UsageError, match="state_dict"):
        DataLoader(Stream()).seek(0, 1)


def test_nothing_is_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one = loader("shuffle")
        one.load_state_dict(one.state_dict())
        list(one)
