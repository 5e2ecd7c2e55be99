"""Work that threads of one line share: the same heap of operations, and whether in one order."""

from __future__ import annotations

import pytest

from samebits.check.diff.shared_work import SharedWork
from samebits.check.trace.schema import NO_SITE
from samebits.check.trace.turns import turns

DRAW = {"op": "aten.randn", "outputs": 1, "flags": 1}
OTHER_DRAW = {"op": "aten.randn", "outputs": 2, "flags": 1}
STEP = {"kind": "step", "step": 0, "site": NO_SITE, "ops_end": 1, "parameters": 5}


def work(a, b):
    return SharedWork(a, b, lines=True)


def test_threads_that_take_turns_in_one_order_agree_whoever_takes_which(make_run):
    a = [make_run([DRAW], turns=[[0, 0, 0]]), make_run([OTHER_DRAW], turns=[[0, 0, 1]])]
    b = [make_run([DRAW, OTHER_DRAW], turns=[[0, 0, 0]])]
    assert work(a, b).agrees
    assert work(a, b).agrees_in_order


def test_the_same_operations_in_another_order_do_not_agree_in_order(make_run):
    a = [make_run([DRAW], turns=[[0, 0, 0]]), make_run([OTHER_DRAW], turns=[[0, 0, 1]])]
    b = [make_run([DRAW], turns=[[0, 0, 1]]), make_run([OTHER_DRAW], turns=[[0, 0, 0]])]
    assert work(a, b).agrees
    assert not work(a, b).agrees_in_order


def test_steps_have_a_place_in_the_order(make_run):
    def run(first, second):
        one = make_run([], steps=[{**STEP, "parameters": 5}], turns=[[0, 0, first]])
        return [one, make_run([], steps=[{**STEP, "parameters": 6}], turns=[[0, 0, second]])]

    assert work(run(0, 1), run(0, 1)).agrees_in_order
    assert not work(run(0, 1), run(1, 0)).agrees_in_order


def test_what_the_task_before_computed_after_its_last_step_is_no_difference(make_run):
    def worker(*steps):
        rows = [
            {**STEP, "step": number, "parameters": parameters, "outputs": outputs, "batch": outputs}
            for number, (parameters, outputs) in enumerate(steps)
        ]
        return make_run([], steps=rows)

    # The first step of a task comes after the evaluation of whichever task that worker had before.
    a = [worker((1, 0), (2, 91)), worker((3, 0))]
    b = [worker((1, 0)), worker((3, 0), (2, 93))]
    assert work(a, b).agrees
    assert not work(a, [worker((1, 0)), worker((3, 0), (7, 93))]).agrees


def test_a_turn_ends_where_the_next_begins(make_run):
    trace = make_run([DRAW, OTHER_DRAW, DRAW], steps=[STEP], turns=[[0, 0, 0], [2, 0, 5]])
    first, second = turns(trace)
    assert (first.done, first.rows, first.steps) == (0, slice(0, 2), slice(0, 0))
    assert (second.done, second.rows, second.steps) == (5, slice(2, 3), slice(0, 1))


@pytest.mark.parametrize(
    "noted", [None, [], "turns", [[0, 0]], [[0, 0, -1]], [["0", 0, 0]], [[1, 0, 0]], [[True, 0, 0]]]
)
def test_turns_that_are_not_known_are_no_order(make_run, noted):
    trace = make_run([DRAW], turns=noted)
    assert turns(trace) is None
    assert work([trace], [trace]).agrees
    assert not work([trace], [trace]).agrees_in_order
