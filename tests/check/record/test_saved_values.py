"""Settings that are saved beside tensors: what of them tells the time or names the run."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import pytest
import torch

from samebits.check.record.saved_values import lines_of, without_times
from samebits.core.catalog.own_names import OwnNames
from samebits.core.fingerprint.tree import fingerprint


@dataclass
class Settings:
    name: str
    rate: float = 0.1


Settings_ = namedtuple("Settings_", ["name", "rate"])


NOBODY = OwnNames()
TOLD = (1.25, 1.5, 1_795_000_000.0, 1_795_000_060.0)
"""What clocks were read to be, and the time between two readings."""


def digest(content, own=NOBODY):
    left = without_times(content, own, TOLD.__contains__)
    return None if left is None else fingerprint(left)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"name": "run2026_11_26_04_12_05"}, {"name": "run2026_11_26_04_13_09"}),
        ({"name": "2026-11-26 04:12", "w": torch.ones(2)}, {"name": "2026-11-27 04:12"}),
        ({"elapsed": 1.25, "loss": 0.5}, {"elapsed": 1.5, "loss": 0.5}),
        ({"timestamp": 1_795_000_000}, {"timestamp": 1_795_000_060}),
        ([("at", "Nov26_04-12-05")], [("at", "Nov26_04-13-05")]),
        (Settings("run_20261126_041205"), Settings("run_20261126_041309")),
        (Settings_("at 04:12:05", 1), Settings_("at 04:12:06", 1)),
        ({"runs/20261126-041205/best.pt": 1}, {"runs/20261126-041206/best.pt": 1}),
        ({"note": "one\n2026-11-26"}, {"note": "one\n2026-11-27"}),
    ],
)
def test_times_and_dates_are_left_out(one, other):
    if isinstance(one, dict) and "w" in one:
        other["w"] = torch.zeros(2)  # tensors are compared by themselves
    assert fingerprint(one) != fingerprint(other)
    assert digest(one) == digest(other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"elapsed": 1.25, "loss": 0.5}, {"elapsed": 1.25, "loss": 0.75}),
        ({"name": "2026-11-26", "seed": 1}, {"name": "2026-11-26", "seed": 2}),
        ({"name": "2026-11-26 a"}, {"name": "2026-11-26 b"}),
        ({"2026-11-26": 1, "n": 2}, {"2026-11-26": 2, "n": 1}),
        ([1.0, "2026-11-26"], [2.0, "2026-11-26"]),
        ({"eta": 0.03, "at": "04:12:05"}, {"eta": 0.05, "at": "04:12:05"}),
        ({"timestamp": 1_000, "at": "04:12:05"}, {"timestamp": 2_000, "at": "04:12:05"}),
        # An hour of the day that was chosen: no clock has told it.
        ([1_794_996_400, "at 04:12:05"], [1_794_992_800, "at 04:12:05"]),
        (
            {torch.ones(2): "best", "at": "04:12:05"},
            {torch.zeros(2): "best", "at": "04:12:05"},
        ),
        ({"times": 3, "at": "04:12:05"}, {"times": 4, "at": "04:12:05"}),
    ],
)
def test_all_else_counts(one, other):
    assert digest(one) != digest(other)
    assert digest(one) is not None


@pytest.mark.parametrize("content", [{"w": torch.ones(2), "epoch": 3, "loss": 0.5}, [1], "words"])
def test_values_without_any_need_no_second_digest(content):
    assert digest(content) is None


def test_names_of_the_run_are_left_out():
    one = digest({"id": "a57da2f0", "by": 4711}, OwnNames(4711, ("a57da2f0",)))
    other = digest({"id": "0b11c2d3", "by": 4711}, OwnNames(4711, ("0b11c2d3",)))
    assert one == other is not None
    assert digest({"id": "0b11c2d3"}) is None  # whose it is was not said


def test_a_vocabulary_is_not_read_to_its_end():
    assert digest([f"2026-11-26 {n}" for n in range(5001)]) is None


def test_a_number_beyond_all_floats_is_no_time():
    assert digest([10**400, "at 04:12:05"]) is not None
    assert digest([10**400]) is None


def test_many_numbers_are_not_asked_one_by_one():
    assert digest([1.25, *range(5000)]) is not None
    assert digest([*range(5000), 1.25]) is None


def test_plain_values_are_told_one_a_line_or_not_at_all():
    history = {"epoch": 1, "rates": [12.5, None], "weights": torch.ones(2), "name": "x"}
    assert sorted(lines_of(history)) == [".epoch 1", ".name x", ".rates. 12.5", ".rates. None"]
    # What is neither plain nor a tensor may differ as well.
    assert lines_of({**history, "settings": Settings("x")}) == []
    assert lines_of(list(range(6000))) == []
