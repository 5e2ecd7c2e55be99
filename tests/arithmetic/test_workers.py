"""Loader workers inside a block: forked, spawned, and from a fork server."""

from __future__ import annotations

import multiprocessing
import threading

import pytest
import torch
from torch.utils.data import DataLoader, Dataset

import samebits

STARTS = multiprocessing.get_all_start_methods()


class Computed(Dataset):
    """Numbers that are drawn and computed in the worker."""

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return (torch.rand(100) * 10).exp()


class Refused(Computed):
    def __getitem__(self, index):
        return torch.special.bessel_j0(torch.ones(3))


def batches(dataset, start):
    torch.manual_seed(0)
    loader = DataLoader(dataset, batch_size=2, num_workers=1, multiprocessing_context=start)
    return torch.cat(list(loader))


@pytest.mark.parametrize("start", STARTS)
def test_workers_are_inside_however_they_are_started(start):
    with samebits.exact():
        found = batches(Computed(), start)
        with pytest.raises(RuntimeError, match="NotExactError"):
            batches(Refused(), start)
    with samebits.exact(allow={"aten.special_bessel_j0"}):
        assert batches(Refused(), start).shape == (4, 3)
    with samebits.exact():
        assert found.equal(batches(Computed(), STARTS[0]))
    outside = batches(Computed(), start)
    assert not outside.equal(found)
    assert outside.equal(batches(Computed(), STARTS[0]))


def test_another_threads_workers_are_outside():
    found = []
    with samebits.exact():
        other = threading.Thread(target=lambda: found.append(batches(Computed(), "spawn")))
        other.start()
        other.join()
    assert found[0].equal(batches(Computed(), "spawn"))
