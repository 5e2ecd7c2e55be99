"""Which numbers of a data set a loader reads, as far as the script deals them out."""

from __future__ import annotations

import pytest
import torch
from torch.utils.data import (
    DataLoader,
    IterableDataset,
    RandomSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
)
from torch.utils.data.distributed import DistributedSampler

from samebits.check.record import least_digests, shares
from samebits.check.record.least_digests import LeastDigests
from samebits.check.record.shares import noted_share, share_of

DATA = TensorDataset(torch.arange(10.0))


class Endless(IterableDataset):
    def __iter__(self):
        yield from range(3)


@pytest.mark.parametrize(
    ("dataset", "how", "numbers"),
    [
        (Subset(DATA, range(1, 10, 3)), {}, [1, 4, 7]),
        (Subset(DATA, [3, 1]), {"shuffle": True}, [3, 1]),
        (Subset(DATA, torch.tensor([3, 1])), {}, [3, 1]),
        (DATA, {"sampler": range(5)}, [0, 1, 2, 3, 4]),
        (DATA, {"sampler": SubsetRandomSampler([2, 6])}, [2, 6]),
        (DATA, {"sampler": [2, 6], "batch_size": None}, [2, 6]),
    ],
    ids=["range", "shuffled", "tensor", "sampler", "random", "no batches"],
)
def test_numbers_that_are_dealt_out_are_kept(dataset, how, numbers):
    assert share_of(iter(DataLoader(dataset, **how))) == noted_share(numbers, 10)


@pytest.mark.parametrize(
    ("dataset", "how"),
    [
        (DATA, {}),
        (DATA, {"shuffle": True}),
        (Endless(), {}),
        (Subset(DATA, range(4)), {"sampler": DistributedSampler(range(4), 2, 0)}),
        (Subset(DATA, range(4)), {"sampler": RandomSampler(range(4), replacement=True)}),
        (Subset(DATA, []), {}),
        (Subset([1, 2], ["a"]), {}),
    ],
    ids=["all", "all shuffled", "a stream", "by a sampler", "drawn", "nothing", "names"],
)
def test_other_loaders_deal_out_nothing_themselves(dataset, how):
    assert share_of(iter(DataLoader(dataset, **how))) is None


def test_too_many_numbers_are_not_looked_at(monkeypatch):
    monkeypatch.setattr(shares, "_MOST_NUMBERS", 3)
    assert share_of(iter(DataLoader(Subset(DATA, range(3))))) is not None
    assert share_of(iter(DataLoader(Subset(DATA, range(4))))) is None


def test_the_least_digests_are_kept_once_each(monkeypatch):
    monkeypatch.setattr(least_digests, "KEPT", 3)
    kept = LeastDigests()
    kept.add([5, 3])
    assert kept.to_json() == {
        "digests": ["0000000000000003", "0000000000000005"],
        "whole": True,
        "repeats": False,
    }
    kept.add([9, 1, 7])
    assert [int(one, 16) for one in kept.to_json()["digests"]] == [1, 3, 5]
    assert (kept.whole, kept.repeats) == (False, False)
    kept.add([9, 9])  # none of those that are kept
    assert not kept.repeats
    kept.add([3])
    assert kept.repeats
