"""The slice of a graph as words, and as the tracks of a picture."""

from __future__ import annotations

import pytest

from samebits.check.diff.explanation import CarriedTensor, GraphSlice, SlicePart
from samebits.check.report.page.slice_picture import DOT, HEAD, slice_picture
from samebits.check.report.slices import slice_view


def sliced(*sources, **changes):
    """A slice whose parts were given something by these ones."""
    parts = tuple(
        SlicePart(
            phase="forward", file="", line=0, module="", ops=("aten.mm",), operations=1, row=number,
            given=tuple(CarriedTensor(source=s, signature="float32[4]", others=0) for s in given),
            max_ulp=2, max_relative=1e-7, is_goal=number == len(sources) - 1,
        )
        for number, given in enumerate(sources)
    )  # fmt: skip
    facts = {
        "step": 0, "goal": "loss", "loss": True, "operations": len(sources), "joined": "operation",
        "reached": len(sources), "absorbed": 0, "others": 0, "parts": parts,
    }  # fmt: skip
    return GraphSlice(**{**facts, **changes})


def columns_of(*sources):
    picture = slice_picture(slice_view(sliced(*sources)))
    return [strip.x for strip in picture.strips], picture


def test_a_chain_is_one_straight_track():
    xs, picture = columns_of([], [0], [1])
    assert len(set(xs)) == 1
    x = xs[0]
    assert [strip.paths for strip in picture.strips] == [
        (f"M{x} {DOT}V{HEAD}",),
        (f"M{x} 0V{DOT}", f"M{x} {DOT}V{HEAD}"),
        (f"M{x} 0V{DOT}",),
    ]
    assert [strip.below for strip in picture.strips] == [(x,), (x,), ()]


def test_what_is_given_past_others_has_a_track_of_its_own():
    xs, picture = columns_of([], [0], [1], [0, 2])
    assert xs[0] == xs[3] < xs[1] == xs[2]
    assert picture.strips[1].below == (xs[0], xs[1])  # both go on
    assert sum("C" in path for path in picture.strips[3].paths) == 1  # one joins from beside


def test_a_column_is_used_again():
    xs, _ = columns_of([], [0], [0, 1], [2], [2, 3])
    assert len(set(xs)) == 2


def test_a_slice_of_one_part_is_none():
    assert slice_view(sliced([])) is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"goal": "optimizer", "loss": False}, "the loss of this step has the same bits"),
        ({"reached": 3}, "1 operation beside the way has other bits because of it"),
        ({"absorbed": 2}, "2 operations were given other bits because of it, and gave the same"),
        ({"others": 1}, "1 operation differs by other causes, such as further random draws"),
        ({"joined": "line"}, "those of one line together"),
    ],
)
def test_what_is_beside_the_way_is_counted(changes, said):
    assert any(said in one for one in slice_view(sliced([], [0], **changes)).what)


def test_many_sources_are_counted():
    view = slice_view(sliced([], [0], [1], [0, 1, 2]))
    assert view.steps[3].given == "given 3 tensors from 1, 2 and 3"
    assert view.steps[1].given == "given float32[4] from 1"


def test_parts_of_a_forged_verdict_that_lead_nowhere_are_left_out():
    view = slice_view(sliced([], [0, 7, -3], [2]))
    assert view.sources == ((), (0,), ())
    assert view.steps[2].given == ""
    slice_picture(view)
