"""The way of a difference through the step that it began in."""

from __future__ import annotations

from dataclasses import replace

from samebits.check.diff.divergence import first_divergence
from samebits.check.diff.spread import spread

OP = {"op": "aten.mm", "outputs": 1, "inputs": 1}


def row(line, given=0, gave=0, phase="forward", step=0, **more):
    """A row of run B: whether it was given other bits than in run A, and gave other bits."""
    site = ("train.py", line, "main", more.pop("module", ""))
    changes = {"inputs": 1 + given, "outputs": 1 + gave, "site": site, "phase": phase}
    return {**OP, **changes, "step": step, **more}


WAY = [
    row(1),
    row(2, gave=1, args=1),  # it begins
    row(3),  # another tensor
    row(4, given=1, gave=1),
    row(4, given=1, gave=1),
    row(5, given=1),  # a comparison, say: its result agrees
    row(6, given=1, gave=1, phase="backward"),
    row(4, given=1, gave=1, step=1),  # the next step
]


def as_in_a(rows):
    return [{**one, "inputs": 1, "outputs": 1, "args": 0} for one in rows]


def way_of(make_run, rows, of_a=None, **options):
    a, b = make_run(of_a or as_in_a(rows)), make_run(rows)
    found = first_divergence(a, b)
    return spread(found, a, b, **options)


def test_lines_are_told_in_the_order_in_which_they_ran(make_run):
    way = way_of(make_run, WAY)
    assert [
        (one.part, one.phase, one.site.line, one.row, one.operations, one.differing)
        for one in way.stretches
    ] == [
        ("begins", "forward", 2, 1, 1, 1),
        ("carries", "forward", 4, 3, 2, 2),
        ("absorbs", "forward", 5, 5, 1, 0),
        ("carries", "backward", 6, 6, 1, 1),
    ]
    assert (way.step, way.left_out) == (0, 0)


def test_rows_that_only_one_run_has_do_not_shift_the_others(make_run):
    of_a = as_in_a(WAY)
    of_a.insert(3, {**row(9), "op": "aten.extra"})
    way = way_of(make_run, WAY, of_a)
    assert [one.site.line for one in way.stretches] == [2, 4, 5, 6]


def test_more_lines_than_are_shown_are_counted(make_run):
    way = way_of(make_run, WAY, most=2)
    assert ([one.site.line for one in way.stretches], way.left_out) == ([2, 4], 2)


def test_what_is_no_operation_has_no_way(make_run):
    a, b = make_run(as_in_a(WAY)), make_run(WAY)
    found = first_divergence(a, b)
    assert spread(replace(found, kind="step"), a, b) is None
    assert spread(replace(found, rows=(1, None)), a, b) is None
    assert spread(replace(found, rows=(99, 99)), a, b) is None
    assert spread(replace(found, rows=(0, 0)), a, b) is None  # nothing differs there
