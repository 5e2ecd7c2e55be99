"""What stands under a column's name that is one of a time or a rate is no result."""

from __future__ import annotations

import pytest

from samebits.core.catalog.printed_tables import without_timed_columns


@pytest.mark.parametrize(
    ("printed", "compared"),
    [
        (["epoch,loss,tiles_per_s", "0,0.25,4434\r"], "0,0.25,#"),
        (["0\tepoch,loss,seconds", "12\t0,0.25,1.5"], "12\t0,0.25,#"),
        (["epoch  loss  time", "    1  0.25  1.53"], "1 0.25 #"),
        (["epoch | loss | elapsed", "------+------+-----", "1 | 0.25 | 3.1"], "1|0.25|#"),
        (["name;wall;auc", "first;0.5;0.9"], "first;#;0.9"),
        # A line of another kind stands between two rows.
        (["epoch,time", "0,1.5", "saved to best.pt", "1,1.7"], "1,#"),
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
    ],
)
def test_other_lines_are_left_as_they_are(printed):
    assert without_timed_columns(printed) == printed


def test_a_line_that_is_no_row_of_the_table_is_left_as_it_is():
    printed = ["epoch,loss,seconds", "0,0.25,1.5", "held out,0.5", "a,b,c", "4,0.5,late"]
    assert without_timed_columns(printed)[2:] == printed[2:]
