"""The samples of a batch: the same sum however they are shared out."""

from __future__ import annotations

import torch

from samebits.check.record.batch_samples import added, samples_of


def batch(*rows):
    return [torch.arange(24.0).reshape(8, 3)[list(rows)], torch.arange(8)[list(rows)]]


def test_samples_add_up_whatever_batch_they_are_in():
    whole = samples_of(batch(0, 1, 2, 3))
    assert whole[0] == 4
    assert added(samples_of(batch(3, 1)), samples_of(batch(0, 2))) == whole
    assert samples_of(batch(0, 1, 2, 4)) != whole


def test_parts_of_a_sample_belong_together():
    images, labels = batch(0, 1)
    assert samples_of([images, labels]) != samples_of([images, labels.flip(0)])
    assert samples_of({"x": images, "y": labels}) == samples_of((images, labels))


def test_what_cannot_be_told_apart_is_not_known():
    for other in (
        [torch.zeros(2), torch.zeros(3)],
        torch.zeros(()),
        [torch.zeros(2), "name"],
        torch.zeros(3, 2).t(),
        torch.zeros(0, 3),
        torch.zeros(2, 3, device="meta"),
        torch.zeros(5_000, 1),
        [],
    ):
        assert samples_of(other) is None
    assert added(None, (1, 2)) is None
    assert added((1, 2), None) is None
    assert added((1, 2**64 - 1), (1, 2)) == (2, 1)
