"""What the samples of a pass through a loader add up to."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from samebits.check.record import epoch_samples
from samebits.check.record.batch_samples import samples_of
from samebits.check.record.epoch_samples import EpochSamples

DATA = TensorDataset(torch.arange(24.0).reshape(12, 2))
PLACE = ["train.py", 7]


def read(loader, epochs, steps=0, into=None):
    """What is kept of passes through a loader, with a step after each batch."""
    kept = into or EpochSamples()
    for _ in range(epochs):
        iterator = iter(loader)
        for batch in iterator:
            kept.received(iterator, partial(samples_of, batch), steps, lambda: PLACE)
            steps += 1
    return kept.to_json()


def test_every_order_of_all_samples_adds_up_alike():
    in_order = read(DataLoader(DATA, batch_size=5), 1)
    shuffled = read(DataLoader(DATA, batch_size=4, shuffle=True), 2)
    assert [one["samples"] for one in shuffled] == [in_order[0]["samples"]] * 2
    assert in_order[0]["samples"][0] == 12
    assert (in_order[0]["place"], in_order[0]["steps"]) == (PLACE, [0, 2])
    assert shuffled[1]["steps"] == [3, 5]
    half = read(DataLoader(torch.utils.data.Subset(DATA, range(6))), 1)
    assert half[0]["samples"] != in_order[0]["samples"]


def test_an_iterator_that_persists_begins_each_epoch_anew():
    loader = DataLoader(DATA, batch_size=4, num_workers=1, persistent_workers=True)
    assert [one["samples"][0] for one in read(loader, 2)] == [12, 12]


def test_what_came_after_too_much_was_read_is_left_out(monkeypatch):
    monkeypatch.setattr(epoch_samples, "_MOST_BATCHES", 4)
    assert [one["samples"][0] for one in read(DataLoader(DATA, batch_size=4), 3)] == [12]


def test_an_epoch_whose_samples_cannot_be_told_apart_is_left_out():
    loader = DataLoader(["a", "b"], batch_size=1)
    assert read(loader, 1) == []


@pytest.mark.parametrize("most", [1, 2])
def test_so_many_epochs_are_kept(monkeypatch, most):
    monkeypatch.setattr(epoch_samples, "_MOST_EPOCHS", most)
    assert len(read(DataLoader(DATA, batch_size=4), 3)) == most
