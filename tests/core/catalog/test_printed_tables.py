"""What stands under a column's name that is one of a time or a rate is no result."""

from __future__ import annotations

import pytest

from samebits.core.catalog.printed_tables import without_timed_columns


@pytest.mark.parametrize(
    ("printed", "compared"),
    [
        (["epoch,loss,tiles_per_s", "0,0.25,4434\r"], "0,0.25,#"),
        (["epoch\tloss\twall", "0\t0.25\t1.5"], "0\t0.25\t#"),
        (["epoch | loss | elapsed", "------+------+-----", "1 | 0.25 | 3.1"], "1 | 0.25 |#"),
        (["name;wall;auc", "first;0.5;0.9"], "first;#;0.9"),
        # A run names the columns once more.
        (["epoch,time", "0,1.5", "epoch,time", "1,1.7"], "1,#"),
    ],
)
def test_columns_that_are_named_for_time(printed, compared):
    assert without_timed_columns(printed)[-1] == compared


@pytest.mark.parametrize(
    "printed",
    [
        ["epoch,loss,accuracy", "0,0.25,0.9"],
        ["training takes some time", "0.1 0.2 0.3 0.4 0.5"],  # no row of as many words
        ["time passes", "0.1 0.2"],  # two words
        ["it took some time:", "1 2 3 4"],  # no names
        ["epoch,loss,seconds", "0,0.25,soon"],
        ["0,0.25,1.5", "1,0.2,1.4"],
        ["the loss and the time", "at step 3 is 0.5"],
        ["epoch loss time", "0 0.3 1.2"],  # blanks are no columns
    ],
)
def test_other_lines_are_left_as_they_are(printed):
    assert without_timed_columns(printed) == printed


@pytest.mark.parametrize("between", ["fold,auc,f1", "", "saved to best.pt", "held out,0.5"])
def test_a_table_ends_with_its_rows(between):
    printed = ["epoch,loss,seconds", "0,0.25,1.5", between, "0,0.80,0.71"]
    assert without_timed_columns(printed) == [printed[0], "0,0.25,#", *printed[2:]]


def test_lines_with_the_number_of_a_step():
    printed = ["0\tepoch,loss,seconds", "12\t0,0.25,1.5", "12\t0.5,0.25,0.1,0.7"]
    expected = [printed[0], "12\t0,0.25,#", printed[2]]
    assert without_timed_columns(printed, tagged=True) == expected
