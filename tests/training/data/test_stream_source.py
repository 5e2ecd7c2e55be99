"""Iterable datasets: shared out among workers or not, resumed by their state or by counting."""

from __future__ import annotations

import json
import random
import warnings

import numpy as np
import pytest
import torch
from torch.utils.data import IterableDataset

from samebits import DataLoader
from samebits.errors import UsageError

from .datasets import Remembering, SharedOut, Stream, draw, global_states, same

READ_AGAIN = "ignore:The dataset keeps no state:UserWarning"


def loader(kind=Stream, workers: int = 0, size: int = 50, **more) -> DataLoader:
    return DataLoader(kind(size), **{"batch_size": 8, "seed": 7, "num_workers": workers, **more})


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("kind", [Stream, Remembering])
def test_workers_that_the_stream_does_not_know_of_change_nothing(kind, workers):
    one, many = loader(kind), loader(kind, workers)
    for _ in range(2):
        assert same(list(many), list(one))


def test_persistent_workers_change_nothing():
    one, many = loader(), loader(workers=2, persistent_workers=True)
    epochs = [list(one) for _ in range(3)]
    assert same([list(many) for _ in range(3)], epochs)
    assert not same(epochs[0], epochs[1])


def test_global_generators_are_left_alone():
    before = global_states()
    batches = iter(loader())
    for _ in range(3):
        next(batches)
        assert global_states() == before


def test_a_stream_that_shares_itself_out_is_left_to_it():
    epochs = [list(loader(SharedOut, workers=2, size=38)) for _ in range(2)]
    assert same(*epochs)
    firsts = [batch[0, 0] for batch in epochs[0]]
    assert firsts == [0, 1, 16, 17, 32, 33]
    rows = torch.cat(epochs[0])
    assert sorted(rows[:, 0].tolist()) == list(range(38))
    assert len(rows[:, 1].unique()) == 38  # no two workers share a draw, from the first item on


class Uneven(SharedOut):
    """The first worker's part ends early, the last one's is empty."""

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        for number in range((8, 24, 0)[info.id]):
            yield draw(100 * info.id + number)


def test_parts_of_unequal_length():
    found = list(loader(Uneven, workers=3))
    assert [int(batch[0, 0]) for batch in found] == [0, 100, 108, 116]


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("size", [0, 8, 50])
def test_the_end(size, drop_last):
    for workers in (0, 2):
        found = list(loader(workers=workers, size=size, drop_last=drop_last))
        assert [len(b) for b in found] == [8] * (size // 8) + [size % 8] * bool(
            size % 8 and not drop_last
        )


def test_items_as_they_come():
    assert same(
        list(loader(batch_size=None, workers=2)), [row for batch in loader() for row in batch]
    )


@pytest.mark.filterwarnings(READ_AGAIN)
@pytest.mark.parametrize("kind", [Stream, Remembering])
@pytest.mark.parametrize(("before", "after"), [(0, 0), (2, 0), (0, 2), (2, 3)])
def test_resuming_a_stream_that_all_workers_see(kind, before, after):
    straight = loader(kind)
    expected = [list(straight) for _ in range(2)]
    for count in (1, 7):
        first = loader(kind, before)
        first.set_epoch(1)
        batches = iter(first)
        for _ in range(count):
            next(batches)
        state = json.loads(json.dumps(first.state_dict()))
        resumed = loader(kind, after)
        resumed.load_state_dict(state)
        assert resumed.state_dict() == state
        assert same(list(resumed), expected[1][count:]), count
        assert resumed.epoch == 2


class RememberingPart(Remembering):
    """Shares itself out and keeps a state; each worker has its own."""

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        for number, row in enumerate(super().__iter__(), start=self.next):
            if info is None or number % info.num_workers == info.id:
                yield row


@pytest.mark.filterwarnings(READ_AGAIN)
@pytest.mark.parametrize("kind", [SharedOut, RememberingPart])
def test_resuming_a_stream_that_shares_itself_out(kind):
    expected = list(loader(kind, 2, 38))
    for count in (1, 4, 6):
        first = loader(kind, 2, 38)
        batches = iter(first)
        for _ in range(count):
            next(batches)
        resumed = loader(kind, 2, 38)
        resumed.load_state_dict(first.state_dict())
        assert same(list(resumed), expected[count:]), count


def test_a_state_is_used_and_nothing_read_again():
    first = loader(Remembering)
    batches = iter(first)
    for _ in range(5):
        next(batches)
    resumed = loader(Remembering)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        resumed.load_state_dict(first.state_dict())
        list(resumed)
    assert resumed.dataset.read == 10


def test_a_state_that_is_asked_for_now_and_then():
    expected = list(loader(Remembering))
    first = loader(Remembering, snapshot_every_n_steps=3)
    batches = iter(first)
    for _ in range(5):
        next(batches)
    state = first.state_dict()
    assert state["stream"]["told"] == [{"items": 24, "state": {"next": 24}, "ended": False}]
    resumed = loader(Remembering)
    resumed.load_state_dict(state)
    assert same(list(resumed), expected[5:])
    assert resumed.dataset.read == 26


class StatefulIterator(Stream):
    """Its iterator has the state."""

    def __iter__(self):
        return Counter(self.size)


class Counter:
    def __init__(self, size: int) -> None:
        self.size, self.next = size, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.next == self.size:
            raise StopIteration
        self.next += 1
        return draw(self.next - 1)

    def state_dict(self):
        return {"next": self.next}

    def load_state_dict(self, state) -> None:
        self.next = state["next"]


@pytest.mark.parametrize("workers", [0, 2])
def test_an_iterator_with_a_state(workers):
    expected = list(loader(StatefulIterator))
    first = loader(StatefulIterator, workers)
    batches = iter(first)
    for _ in range(3):
        next(batches)
    resumed = loader(StatefulIterator, workers)
    resumed.load_state_dict(first.state_dict())
    assert same(list(resumed), expected[3:])


def test_reading_again_is_told():
    first = loader()
    next(iter(first))
    resumed = loader()
    resumed.load_state_dict(first.state_dict())
    with pytest.warns(UserWarning, match="8 of its items are read again"):
        next(iter(resumed))


@pytest.mark.filterwarnings(READ_AGAIN)
def test_a_stream_that_shares_itself_out_needs_the_same_workers():
    def state(workers):
        first = loader(SharedOut, workers)
        batches = iter(first)
        next(batches)
        next(batches)
        return first.state_dict()

    with pytest.raises(UsageError, match="begun with 2 of them; this loader has 1"):
        loader(SharedOut, 0).load_state_dict(state(2))
    for before in (0, 1):
        resumed = loader(SharedOut, 2)
        resumed.load_state_dict(state(before))
        with pytest.raises(UsageError, match="one worker: 2 workers have no part"):
            next(iter(resumed))
    resumed = loader(SharedOut, 1)
    resumed.load_state_dict(state(0))
    assert same(list(resumed), list(loader(SharedOut))[2:])


def test_choosing_the_epoch_of_a_finished_stream():
    first = loader()
    list(first)
    resumed = loader()
    resumed.load_state_dict(first.state_dict())
    resumed.set_epoch(0)
    assert list(resumed) == []
    assert same(list(resumed), list(first))


class Shuffled(IterableDataset):
    """A shuffle buffer, filled and emptied with generators of every kind."""

    def __init__(self, size: int = 60) -> None:
        self.size = size

    def __iter__(self):
        order = np.random.permutation(self.size).tolist()
        buffer = []
        for number in order:
            buffer.append(number)
            if len(buffer) > 10:
                yield draw(buffer.pop(random.randrange(len(buffer))))
        while buffer:
            yield draw(buffer.pop(int(torch.randint(len(buffer), ()))))


@pytest.mark.filterwarnings(READ_AGAIN)
@pytest.mark.parametrize("workers", [0, 2])
def test_what_a_stream_draws_for_its_order(workers):
    straight = loader(Shuffled)
    epochs = [list(straight) for _ in range(2)]
    assert not same(*epochs)
    first = loader(Shuffled, workers)
    batches = iter(first)
    next(batches)
    resumed = loader(Shuffled, workers)
    resumed.load_state_dict(first.state_dict())
    assert same(list(resumed), epochs[0][1:])
