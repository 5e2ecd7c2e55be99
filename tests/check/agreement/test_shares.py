"""Shares that a script deals out itself: which ones overlap, and which leave samples out."""

from __future__ import annotations

import pytest
from tests.check.agreement.made_ranks import rank, step

from samebits.check.record.least_digests import LeastDigests
from samebits.check.record.shares import noted_share


def epoch(sum_, read, *, share=None, steps=(0, 7), **least):
    """An epoch whose samples have these digests, or these numbers."""
    kept = LeastDigests()
    kept.add(read)
    noted = {
        "place": ["/a/train.py", 20],
        "steps": list(steps),
        "samples": [len(read), sum_],
        "least": {**kept.to_json(), **least},
    }
    return noted if share is None else {**noted, "share": noted_share(*share)}


@pytest.fixture
def told(run):
    """What is said of two ranks with these epochs."""

    def tell(*epochs):
        return run(
            [
                rank([{}], [step(n, batch=10 * r + n) for n in range(3)], epochs=own)
                for r, own in enumerate(epochs, 1)
            ]
        )

    return tell


def dealt_out(*shares, of, **facts):
    """One epoch of each rank, with the numbers that it reads of so many samples."""
    return [
        [epoch(f"{n:x}", range(100 * n, 100 * n + len(share)), share=(share, of), **facts)]
        for n, share in enumerate(shares, 1)
    ]


def test_numbers_that_two_ranks_read_are_told(told):
    (found,) = told(*dealt_out(range(51), range(50, 100), of=100))
    assert (found.code, found.line) == ("duplicate-data", 20)
    assert found.detail == "ranks 0 and 1 both read one of 50 samples"
    assert "range(rank, len(dataset), world_size)" in found.fix
    (found,) = told(*dealt_out(range(60), range(40, 100), of=100))
    assert found.detail == "ranks 0 and 1 both read 20 of 60 samples"


def test_of_many_numbers_a_part_is_compared(told):
    (found,) = told(*dealt_out(range(6000), range(4000, 10_000), of=10_000))
    number = int(found.detail.split("about ")[1].split()[0])
    assert 1400 < number < 2600
    assert told(*dealt_out(range(5000), range(5000, 10_000), of=10_000)) == ()
    (found,) = told(*dealt_out(range(600), range(500, 6500), of=10_000))
    assert 30 < int(found.detail.split("about ")[1].split()[0]) < 200  # it is 100


def test_the_same_numbers_on_each_rank_are_told_where_their_content_is_changed(told):
    """Where it is not, the samples add up alike, and that is told by itself."""
    (found,) = told(*dealt_out(range(40), range(40), of=100))
    assert found.detail == "ranks 0 and 1 both read 40 of 40 samples"
    own = epoch("aa", range(40), share=(range(40), 100))
    (found,) = told([own], [own])
    assert found.detail == "each of ranks 0 and 1 reads the same 40 samples in an epoch"


@pytest.mark.parametrize(
    ("shares", "of", "left"),
    [
        ((range(33), range(33, 66)), 67, "the last of 67 samples is read by no rank"),
        ((range(0, 66, 2), range(1, 66, 2)), 67, "the last of 67 samples is read by no rank"),
        ((range(33), range(33, 66)), 66, None),
        ((range(33), range(33, 66)), 100, None),  # held back
        ((range(0, 67, 2), range(1, 67, 2)), 67, None),
        ((range(33), range(34, 67)), 67, None),
        ((range(34), range(34, 66)), 67, None),
    ],
    ids=["cut", "by turns", "even", "a validation set", "uneven", "another gap", "unlike"],
)
def test_samples_that_shares_leave_over_are_told(told, shares, of, left):
    found = told(*dealt_out(*shares, of=of))
    assert [one.detail for one in found if one.code == "missing-data"] == ([left] if left else [])
    assert [one for one in found if one.code != "missing-data"] == []


def test_content_is_compared_where_it_is_the_same_in_each_epoch(told):
    mine = [epoch("a", range(50)), epoch("a", range(50))]
    theirs = [epoch("b", range(44, 94)), epoch("b", range(44, 94))]
    (found,) = told(mine, theirs)
    assert found.detail == "ranks 0 and 1 both read 6 of 50 samples"
    assert "in every epoch alike" in found.evidence
    # Drawn anew in each epoch, they may meet.
    anew = [theirs[0], epoch("c", range(144, 194))]
    assert told(mine, anew) == ()
    assert told(mine[:1], theirs[:1]) == ()


@pytest.mark.parametrize(
    "theirs",
    [
        epoch("b", range(47, 97)),  # three of the same content may be different samples
        epoch("b", range(44, 94), repeats=True),
        epoch("b", range(44, 94), steps=(7, 7)),
        {**epoch("b", range(44, 94)), "least": 3},
        epoch("b", range(44, 94), digests=[]),
        epoch("b", range(44, 94), digests=[1, 2]),
    ],
    ids=["few", "with repetitions", "an evaluation", "no digests", "none", "numbers"],
)
def test_what_may_be_other_samples_is_no_finding(told, theirs):
    mine = epoch("a", range(50))
    assert told([mine, mine], [theirs, theirs]) == ()


def test_shares_of_different_data_sets_are_not_compared_by_number(told):
    (mine,), (theirs,) = dealt_out(range(60), range(40, 100), of=100)
    theirs["share"]["of"] = 101
    assert told([mine], [theirs]) == ()
    theirs["share"] = {"of": 100, "count": "60"}
    assert told([mine], [theirs]) == ()
