"""What tells the time does so at the pace of the clock; a result does not."""

from __future__ import annotations

import pytest

from samebits.check.trials.paced_words import has_moved, moves_evenly, says_the_same

SAME = [
    ("nothing differs 0.25", "nothing differs 0.25"),
    ("trained for 1.25", "trained for 2.50"),
    ("rows 1250.0 of 8", "rows 625.0 of 8"),
    ("share 0.31 of 4.0", "share 0.31 of 8.0"),
    ("since 1000.01 until 1000.05", "since 1000.02 until 1000.10"),
    ("at 1704189600.5", "at 1704288366.0"),
    ("run 1704189600", "run 1704288365"),
    ("run_100000", "run_132605"),
    ("in runs/2024-01-02T100000.139000, 4.17 s", "in runs/2024-01-03T132605.278000, 8.34 s"),
    ("in run-20240102-100000/model", "in run-20240103-132605/model"),
    ("in 0102-100000", "in 0103-132605"),
    ("in runs/net50-20240102-100000/last1.pt", "in runs/net50-20240103-132606/last1.pt"),
    ("run 235959", "run 032604"),
    ("rounded 3", "rounded 7"),
    ("after 12.30.", "after 24.60."),
    ("per step 1.91±2.72", "per step 3.82±5.44"),
    ("at 12.5/s", "at 6.25/s"),
    ("0.009999999999990905", "0.01999999999998181"),
]
NAMES = [
    ("part 3fa2b1", "part 9c40e2"),
    ("run amber", "run copal"),
    ("saved in amber, 1.5", "saved in copal, 3.0"),
    ("look at out/amber", "look at out/copal"),
]
OTHERWISE = [
    ("best loss 1.64", "best loss 3.32"),
    ("standard error 0.025729", "standard error 0.025829"),
    ("17 of them", "16 of them"),
    ("kept 100000", "kept 100500"),
    ("in 0102-100000", "in 0105-132605"),
    ("winner: cat", "winner: dog"),
    ("fingerprint 3fa2b1c9", "fingerprint 9c40e2aa"),
    ("sha256: 3fa2b1c9", "sha256: 9c40e2aa"),
    ("a b", "a b c"),
    ("took 1.25 s", "took 2.50 and more"),
    ("kept 4/5", "kept 2/5"),
    ("correct 4714/5000", "correct 4740/5000"),
    ("1.25s", "2.50ms"),
]


@pytest.mark.parametrize(("slow", "fast"), SAME)
def test_times(slow, fast):
    assert says_the_same(slow, fast)


def test_small_whole_numbers_are_times_by_chance():
    for slow, fast in (("fold 1", "fold 2"), ("fold 2", "fold 3"), ("fold 0", "fold 1")):
        assert says_the_same(slow, fast)
        assert not says_the_same(slow, fast, sure=True)
    assert says_the_same("took 25", "took 50", sure=True)
    assert says_the_same("took 0.25", "took 0.50", sure=True)


@pytest.mark.parametrize(("slow", "fast"), NAMES)
def test_names_have_to_be_asked_for(slow, fast):
    assert says_the_same(slow, fast, names=True)
    assert not says_the_same(slow, fast)


@pytest.mark.parametrize(("slow", "fast"), OTHERWISE)
def test_results(slow, fast):
    assert not says_the_same(slow, fast, names=True)


EVEN = [
    ("left 59.990", "left 59.390", "left 58.790"),
    ("run 1704189600010", "run 1704189600610", "run 1704189601210"),
    ("rate 861.0 of 8", "rate 14.1 of 8", "rate 7.1 of 8"),
    ("0\t0.25\t0", "0\t0.25\t54", "0\t0.25\t108"),
    ("epoch 3 - 00:00 - 0.25", "epoch 3 - 00:54 - 0.25", "epoch 3 - 01:48 - 0.25"),
]
UNEVEN = [
    ("left 59.900", "left 59.700", "left 59.450"),
    ("17 of them", "18 of them", "19 of them"),
    ("0 of them", "13 of them", "13 of them"),
    ("0 of them", "3 of them", "3 of them"),
    ("winner: cat", "winner: dog", "winner: cow"),
]


@pytest.mark.parametrize("lines", EVEN)
def test_times_that_are_counted_from_any_moment(lines):
    assert moves_evenly(*lines)


@pytest.mark.parametrize("lines", UNEVEN)
def test_what_does_not_move_evenly(lines):
    """A few whole numbers lie on a line by chance."""
    assert not moves_evenly(*lines)


@pytest.mark.parametrize(
    ("slow", "fast", "plain", "moved"),
    [
        ("took 0.00", "took 0.00", ("took 0.31", "took 0.29"), True),
        ("took 0 s", "took 0 s", ("took 3 s", "took 4 s"), True),
        ("took 0.5", "took 1.0", ("took 3", "took 4"), True),
        ("3 - 00:00", "3 - 00:00", ("3 - 00:02", "3 - 00:03"), True),
        ("dropped: 0", "dropped: 0", ("dropped: 13", "dropped: 1"), False),
        ("dropped 0 of 9", "dropped 0 of 9", ("dropped 3 of 9", "dropped 1 of 9"), False),
        ("best 0.25", "best 0.25", ("best 0.31", "best 0.29"), False),
    ],
)
def test_what_is_none_at_both_paces_may_be_a_time_and_is_no_count(slow, fast, plain, moved):
    assert has_moved(slow, fast, *plain) == moved
