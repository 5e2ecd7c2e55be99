"""Unwritten memory that was read: a difference as soon as anything is computed with it."""

from __future__ import annotations

import pytest

from samebits.check.diff.divergence import compare_traces, first_divergence
from samebits.check.trace.schema import Flag

LOOK_UP = ("neighbours.py", 12, "look_up", "")


def row(op, outputs=1, **more):
    return {"op": f"aten.{op}", "outputs": outputs, "signature": "int64[4]", "inputs": 3, **more}


def look_up(side, kept=7, op="index.Tensor"):
    """Rows of a table that nobody has written, of which a mask names those that count."""
    return [
        row("index.Tensor", side, flags=Flag.READS_UNWRITTEN, site=LOOK_UP),
        row("select.int", 0, inputs=side, flags=Flag.VIEW, site=LOOK_UP),
        row(op, kept, inputs=side, site=LOOK_UP),
    ]


def runs(make_run, after=((), ()), **more):
    return [
        make_run([row("mm"), *look_up(side, **more), row("mul.Tensor", 9), *rest, row("sum", 4)])
        for side, rest in zip((5, 6), after, strict=True)
    ]


def test_bytes_that_are_dropped_are_no_difference(make_run):
    verdict = compare_traces(*runs(make_run))
    assert verdict.verdict == "same"
    assert verdict.notes == (
        "memory that nothing had written was read at neighbours.py:12: the bytes differed, and "
        "were dropped before anything was computed with them",
    )


@pytest.mark.parametrize("op", ["gt.Scalar", "sum", "scatter_add_"])
def test_what_is_computed_with_them_is_a_difference_even_where_it_agrees(make_run, op):
    found = first_divergence(*runs(make_run, op=op))
    assert (found.op, found.line) == ("aten.index.Tensor", 12)


def test_so_is_a_result_that_they_have_reached(make_run):
    after = [[row("add.Tensor", side, inputs=side)] for side in (5, 6)]
    found = first_divergence(*runs(make_run, after=after))
    assert (found.op, found.line) == ("aten.index.Tensor", 12)


def test_an_operation_that_reads_such_memory_to_compute_is_one(make_run):
    after = [[row("sum", side, flags=Flag.READS_UNWRITTEN)] for side in (5, 6)]
    found = first_divergence(*runs(make_run, after=after))
    assert (found.op, found.line) == ("aten.index.Tensor", 12)


def test_another_difference_after_it_is_told_for_itself(make_run):
    after = [[row("bmm", side)] for side in (5, 6)]
    assert first_divergence(*runs(make_run, after=after)).op == "aten.bmm"


def test_data_that_enter_after_it_are_told_for_themselves(make_run):
    after = [[row("lift_fresh", side, data=side)] for side in (5, 6)]
    found = first_divergence(*runs(make_run, after=after))
    assert (found.op, found.data) == ("aten.lift_fresh", True)


def test_operations_that_came_in_another_order_beside_it_are_none(make_run):
    shapes = [row("zeros_like", 20 + n, inputs=30 + n, signature=f"int64[{n}]") for n in (1, 2, 3)]
    after = (shapes, [shapes[2], shapes[0], shapes[1]])
    verdict = compare_traces(*runs(make_run, after=after))
    assert verdict.verdict == "same", verdict.first_divergence
    assert len(verdict.notes) == 2


def test_a_moved_element_that_a_step_ends_with_is_blamed_on_what_was_read(make_run):
    a, b = (
        make_run([row("mm"), *look_up(side)], steps=[{"step": 0, "ops_end": 4, "parameters": side}])
        for side in (5, 6)
    )
    assert first_divergence(a, b).line == 12
