"""Keys differ whenever what they stand for differs, and are the same wherever it is the same."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
import torch

from samebits.training.data.keys import Keys, content_of, derived


@dataclass
class Crop:
    image: int
    box: tuple[float, float]


DIFFERENT = [
    0, 1, -1, 2**63 - 1, 2**63, -(2**70), 0.0, -0.0, 1.0, None, "", "1", "é", b"1", (), (1,),
    (1, 2), ((1,), 2), (1, (2,)), ("12", "3"), ("1", "23"), {"a": 1}, {"a": 2}, Crop(1, (0.0, 1.0)),
    Crop(2, (0.0, 1.0)), (Crop(1, (0.0, 1.0)), 5),
]  # fmt: skip


def test_indices_that_differ_have_keys_that_differ():
    keys = Keys(0)
    found = {keys.sample(0, index, 0, 0) for index in DIFFERENT}
    assert len(found) == len(DIFFERENT)


def test_epochs_occurrences_purposes_and_seeds_have_keys_of_their_own():
    found = {
        key
        for seed in (0, 1, 2**64 - 1)
        for keys in [Keys(seed)]
        for epoch in range(3)
        for key in [
            keys.order(epoch),
            keys.workers(epoch),
            *(
                keys.sample(epoch, index, occurrence, 0)
                for index in (0, 1)
                for occurrence in (0, 1)
            ),
            *(keys.item(epoch, lane, number) for lane in (0, 1) for number in (0, 1)),
            keys.empty_batch(epoch, 0),
        ]
    }
    assert len(found) == 3 * 3 * 11


@pytest.mark.parametrize(
    "index",
    [np.int64(7), np.uint8(7), torch.tensor(7), np.array(7)],
    ids=lambda i: type(i).__name__,
)
def test_a_number_is_a_number_whoever_holds_it(index):
    assert Keys(0).sample(2, index, 1, 0) == Keys(0).sample(2, 7, 1, 0)


def test_the_place_counts_only_for_what_cannot_be_told_apart():
    keys = Keys(0)
    assert keys.sample(0, 5, 0, 0) == keys.sample(0, 5, 0, 9)
    assert content_of(object()) is None
    assert content_of((1, object())) is None
    assert keys.sample(0, object(), 0, 4) == keys.sample(0, object(), 0, 4)
    assert keys.sample(0, object(), 0, 4) != keys.sample(0, object(), 0, 5)


def test_keys_are_the_same_in_another_process():
    keys = pickle.loads(pickle.dumps(Keys(3)))
    assert keys.sample(1, 2, 0, 0) == Keys(3).sample(1, 2, 0, 0)


def test_keys_stay_what_they_are():
    # Whoever resumes with a later version must get the same order and the same augmentations.
    keys = Keys(0)
    assert keys.order(0).hex() == "4b9d251f4562b68324a9d9a5370164d3"
    assert keys.sample(1, 2, 0, 0).hex() == "1284faf39ca3f129a054462c941ca9ee"
    assert keys.sample(1, "a", 3, 0).hex() == "db094e12db81a5be9320e4b3a211c24e"
    assert keys.item(1, 2, 3).hex() == "f9f67856478e2990bceba536703c3c7f"
    assert derived(keys.order(0), "rng").hex() == "29eff7112f035c5682211152bbf4fbd7"


def test_the_keys_of_a_batch_are_those_of_its_samples():
    keys, indices = Keys(5), [3, object(), 3, "a", np.int64(9)]
    found = keys.samples(2, indices, [0, 0, 1, 0, 0], 10)
    alone = [
        keys.sample(2, index, occurrence, 10 + position)
        for position, (index, occurrence) in enumerate(zip(indices, [0, 0, 1, 0, 0], strict=True))
    ]
    assert found == alone
    assert keys.samples(2, [3], None, 10) == alone[:1]
