"""Which printed lines differ for a reason."""

from __future__ import annotations

import pytest

from samebits.check.diff.printed_text import (
    count_as_results,
    differing_lines,
    form_without_names,
    printed_otherwise,
    step_of,
    telling_results_from_times,
    timed_otherwise,
    untagged,
)
from samebits.core.catalog.own_names import OwnNames


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("epoch 1 took 3.2s", "epoch 1 took 4.1s"),
        ("epoch 1: 120.5 it/s", "epoch 1: 99 it/s"),
        ("2024-01-02 10:11:12 started", "2025-03-04 01:02:03 started"),
        ("[00:03<00:10]", "[00:04<00:09]"),
        ("elapsed: 12", "elapsed: 13"),
        ("<object at 0x7f00>", "<object at 0x7f10>"),
        ("time per batch 0.12", "time per batch 0.13"),
        ("12 ms/step", "13 ms/step"),
    ],
)
def test_measurements_do_not_count(line, other):
    assert differing_lines([line], [other]) == []


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("loss 0.5", "loss 0.6"),
        ("accuracy 91.5%", "accuracy 91.6%"),
        ("epoch 1 took 3.2s, loss 0.5", "epoch 1, loss 0.5"),
        ("step 3", "step 4"),
        ("a", "b"),
    ],
)
def test_results_count(line, other):
    assert differing_lines([line], [other]) == [0]


def test_lines_that_never_repeat_tell_nothing():
    assert differing_lines(["id 1", "x"], ["id 3", "x"], ["id 2", "x"]) == []
    assert differing_lines(["id 1", "x"], ["id 3", "y"], ["id 2", "x"]) == [1]
    assert differing_lines(["id 1"], ["id 3"], ["id 2", "more"]) == []


def test_a_text_that_goes_on_differs_where_the_other_ends():
    assert differing_lines(["a"], ["a", "b"]) == [1]


def test_tags_of_steps():
    assert untagged(["3\tloss", "loss", "12\t4\tx"]) == ["loss", "loss", "4\tx"]
    assert [step_of(line) for line in ("3\tloss", "loss")] == [3, 0]


OWN = (OwnNames(), OwnNames())
LAP = "0\tcar at 0x7f00: mean lap 92.3 s"


@pytest.mark.parametrize(
    ("line", "other", "timed"),
    [
        ("mean lap 92.3 s", "mean lap 91.8 s", True),
        ("3 rows/s, 12.5 MB", "4 rows/s, 12.5 MB", True),
        ("mean lap 92.3 s", "mean lap 92.3 s", False),
        ("mean lap 92.3 s, loss 0.5", "mean lap 91.8 s, loss 0.6", False),  # it differs in more
        ("port: 41234", "port: 52345", False),
        ("2024-01-02 10:11:12 started", "2025-03-04 01:02:03 started", False),
        ("pid 4711 done", "pid 4712 done", False),
    ],
)
def test_which_lines_differ_in_what_looks_like_times_alone(line, other, timed):
    assert timed_otherwise(line, other, OWN) is timed


def test_times_that_were_shown_to_be_results_count_until_the_check_is_over():
    other = LAP.replace("92.3", "91.8").replace("7f00", "7f10")
    with telling_results_from_times():
        assert not printed_otherwise(LAP, other, addresses=False)
        count_as_results([form_without_names(LAP, OwnNames())])
        assert printed_otherwise(LAP, other, addresses=False)
        assert not printed_otherwise("took 3.2 s", "took 4.1 s")
        assert not printed_otherwise(LAP, LAP.replace("7f00", "7f10"), addresses=False)
    assert not printed_otherwise(LAP, other, addresses=False)
