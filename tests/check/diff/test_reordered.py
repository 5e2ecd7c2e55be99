"""Operations that came in another order, each with the same inputs and result."""

from __future__ import annotations

import pytest

from samebits.check.diff.divergence import compare_traces, first_divergence
from samebits.check.trace.schema import Flag

LOOP = ("features.py", 7, "featurize", "")
ORDERS = ((1, 2, 3), (3, 1, 2))


def row(op="aten.mm.default", outputs=1, **more):
    return {"op": op, "outputs": outputs, "signature": "float32[2]", "inputs": 3, **more}


def walked(order, results=None):
    """For each element a view of its place, and a number that is added there."""
    rows = []
    for element in order:
        view = {"op": "aten.select.int", "flags": Flag.VIEW, "args": element, "site": LOOP}
        rows.append(row(**{**view, "outputs": 0}))
        result = (results or {}).get(element, 10 + element)
        added = {"op": "aten.add_.Tensor", "flags": Flag.INPLACE, "site": LOOP}
        rows.append(row(**{**added, "outputs": result, "args": 20 + element}))
    return rows


def runs(make_run, after=((), ()), before=(), results=(None, None)):
    return [
        make_run([*before, *walked(order, result), row(), *rest])
        for order, rest, result in zip(ORDERS, after, results, strict=True)
    ]


def test_an_order_that_leaves_no_trace_is_no_difference(make_run):
    verdict = compare_traces(*runs(make_run, before=[row(outputs=8)]))
    assert verdict.verdict == "same"
    assert verdict.notes == (
        "operations at features.py:7 came in a different order, and each gave the same bits",
    )


def test_a_result_that_goes_by_the_order_is_one(make_run):
    # The second element finds what the first has added to the same place.
    a, b = runs(make_run, results=({1: 11, 2: 12}, {1: 12, 2: 11}))
    assert first_divergence(a, b).line == 7


def test_what_comes_of_the_order_is_blamed_on_it(make_run):
    later = [row(outputs=side, inputs=side) for side in (5, 6)]
    found = first_divergence(*runs(make_run, after=[[later[0]], [later[1]]]))
    assert (found.op, found.line) == ("aten.add_.Tensor", 7)


def test_data_that_enter_later_are_a_difference_of_their_own(make_run):
    entering = [row("aten.lift_fresh.default", outputs=side, data=side) for side in (5, 6)]
    found = first_divergence(*runs(make_run, after=[[entering[0]], [entering[1]]]))
    assert (found.op, found.data) == ("aten.lift_fresh.default", True)


@pytest.mark.parametrize("extra", [[row("aten.relu.default")], []])
def test_a_run_that_goes_on_otherwise_may_do_so_for_the_order(make_run, extra):
    a, b = runs(make_run, after=[extra, [row("aten.neg.default")]])
    assert first_divergence(a, b).line == 7


MADE = ("layers.py", 5, "build", "")


def made(order, results=None):
    """For each element a tensor of its own shape, which nothing has written, and one of zeros."""
    rows = []
    for element in order:
        shape = {"signature": f"float32[{element}]", "site": MADE}
        rows.append(row("aten.empty_like.default", flags=Flag.SCRATCH, **{**shape, "outputs": 0}))
        result = (results or {}).get(element, 10 + element)
        rows.append(row("aten.zeros_like.default", **{**shape, "outputs": result}))
    return rows


def shapes(make_run, after=((), ()), results=(None, None)):
    return [
        make_run([row(outputs=8), *made(order, result), row(), *rest])
        for order, rest, result in zip(ORDERS, after, results, strict=True)
    ]


def test_other_operations_in_another_order_are_no_difference_either(make_run):
    verdict = compare_traces(*shapes(make_run))
    assert verdict.verdict == "same"
    assert verdict.notes == (
        "operations at layers.py:5 came in a different order, and each gave the same bits",
    )


def test_an_operation_that_one_run_has_instead_of_another_is_a_difference(make_run):
    a, b = shapes(make_run, results=({}, {2: 99}))
    assert first_divergence(a, b).line == 5
    longer = [row("aten.relu.default", outputs=4), row("aten.neg.default", outputs=5)]
    a, b = shapes(make_run, after=[longer[:1], longer[1:]])
    found = first_divergence(a, b)
    assert (found.kind, found.line) == ("inserted", 5)


DRAWS = {"flags": Flag.RANDOM | Flag.INPLACE, "signature": "float32[3]", "args": 4}


def test_a_draw_that_follows_owes_nothing_to_the_order(make_run):
    drawn = [[row("aten.normal_.default", **{**DRAWS, "outputs": side})] for side in (5, 6)]
    found = first_divergence(*shapes(make_run, after=drawn))
    assert (found.op, found.random) == ("aten.normal_.default", True)
    # One that was asked for something else may have been for the order.
    other = [row("aten.normal_.default", **{**DRAWS, "outputs": 6, "args": 7})]
    assert first_divergence(*shapes(make_run, after=[drawn[0], other])).line == 5


@pytest.mark.parametrize("alike", [{1, 2}, {1, 3}, {2, 3}])
def test_operations_of_which_some_have_the_same_shape_may_come_in_another_order(make_run, alike):
    def steps(order):
        shapes = {n: f"float32[{0 if n in alike else n}]" for n in order}
        return [
            row("aten.mul.Tensor", signature=shapes[n], inputs=n, outputs=10 + n) for n in order
        ]

    a, b = (make_run([row(outputs=8), *steps(order), row()]) for order in ((1, 2, 3), (2, 1, 3)))
    assert compare_traces(a, b).verdict == "same"
    c = make_run([row(outputs=8), *steps((3, 1, 2)), row()])
    assert compare_traces(a, c).verdict == "same"
