"""Maps of agreement: every differing row shows, wherever it is and however many share its cell."""

from __future__ import annotations

import numpy as np
import pytest

from samebits.check.diff.agreement_map import (
    MOST_MODULES,
    OTHERS,
    OUTSIDE,
    Agreement,
    operations_map,
    steps_map,
)
from samebits.check.trace.schema import NO_SITE, STEP_DIGESTS, Flag


def site(module):
    return ("train.py", 10, "forward", module)


def step_row(step, **digests):
    row = dict.fromkeys(STEP_DIGESTS, 7)
    return (
        {"kind": "step", "step": step, "site": NO_SITE, "ops_end": 0, "loss_value": 1.0}
        | row
        | digests
    )


def rows_of(*modules, outputs=None):
    outputs = outputs or {}
    return [
        {"site": site(module), "outputs": outputs.get(number, 100 + number)}
        for number, module in enumerate(modules)
    ]


def test_cells_say_what_their_rows_say(make_run):
    a = make_run(rows_of("", "fc1", "fc1", "fc2"))
    b = make_run(rows_of("", "fc1", "fc1", "fc2", outputs={2: 5}))
    found = operations_map(a, b)
    assert found.modules == (OUTSIDE, "fc1", "fc2")
    assert found.cells.tolist() == [
        [Agreement.AGREE, 0, 0, 0],
        [0, Agreement.AGREE, Agreement.DIFFER, 0],
        [0, 0, 0, Agreement.AGREE],
    ]
    assert found.rows == (4, 1, 0, 0)
    assert found.differing == {(1, 2): (2, 2)}


def test_a_single_difference_among_many_is_seen_however_few_columns_there_are(make_run):
    modules = ["fc1", "fc2"] * 200
    a = make_run(rows_of(*modules))
    b = make_run(rows_of(*modules, outputs={237: 5}))
    found = operations_map(a, b, most=7)
    assert found.cells.shape == (2, 7)
    assert (found.cells == Agreement.DIFFER).sum() == 1
    ((cell, pair),) = found.differing.items()
    assert pair == (237, 237)
    assert found.cells[cell] == Agreement.DIFFER


def test_rows_that_only_one_run_has_shift_nothing(make_run):
    a = make_run([{"op": "aten.relu", "outputs": 1}, {"op": "aten.mul", "outputs": 2}])
    b = make_run(
        [{"op": "aten.relu", "outputs": 1}, {"op": "aten.neg"}, {"op": "aten.mul", "outputs": 2}]
    )
    found = operations_map(a, b)
    assert found.cells.tolist() == [[Agreement.AGREE, Agreement.AGREE]]
    assert found.rows == (2, 0, 0, 1)
    other = operations_map(b, a)
    assert other.cells.tolist() == [[Agreement.AGREE, Agreement.ONLY_ONE_RUN, Agreement.AGREE]]
    assert other.rows == (2, 0, 1, 0)


def test_scratch_is_not_compared(make_run):
    flagged = [{"flags": int(Flag.SCRATCH), "outputs": 1}]
    a, b = make_run(flagged), make_run([{**flagged[0], "outputs": 2}])
    found = operations_map(a, b)
    assert found.cells.tolist() == [[Agreement.NOT_COMPARED]]
    assert found.rows == (0, 0, 0, 0)


def test_modules_beyond_the_last_row_share_it(make_run):
    modules = [f"layers.{number}" for number in range(MOST_MODULES + 5)]
    a = make_run(rows_of(*modules))
    b = make_run(rows_of(*modules, outputs={MOST_MODULES + 2: 5}))
    found = operations_map(a, b)
    assert len(found.modules) == MOST_MODULES
    assert found.modules[-1] == OTHERS
    assert found.cells[-1, MOST_MODULES + 2] == Agreement.DIFFER


def test_steps_are_compared_digest_by_digest(make_run):
    a = make_run(steps=[step_row(0), step_row(1, gradients=0), step_row(2)])
    b = make_run(steps=[step_row(0), step_row(1, loss=8, gradients=0), step_row(2, loss=9)])
    found = steps_map(a, b)
    loss, gradients = STEP_DIGESTS.index("loss"), STEP_DIGESTS.index("gradients")
    assert found.cells[loss].tolist() == [Agreement.AGREE, Agreement.DIFFER, Agreement.DIFFER]
    assert found.cells[gradients].tolist() == [Agreement.AGREE, 0, Agreement.AGREE]
    assert found.first[loss] == 1
    assert found.first[gradients] is None
    assert found.starts.tolist() == [0, 1, 2]


def test_steps_that_one_run_lacks_are_in_one_run_only(make_run):
    a, b = make_run(steps=[step_row(0)]), make_run(steps=[step_row(0), step_row(1)])
    for first, second in ((a, b), (b, a)):
        found = steps_map(first, second)
        assert found.cells[:, 1].tolist() == [Agreement.ONLY_ONE_RUN] * len(STEP_DIGESTS)
        assert found.losses.shape == (2, 1)


@pytest.mark.parametrize("most", [1, 3, 10])
def test_many_steps_are_joined_and_none_is_lost(make_run, most):
    a = make_run(steps=[step_row(n) for n in range(10)])
    b = make_run(steps=[step_row(n, loss=7 + (n == 6)) for n in range(10)])
    found = steps_map(a, b, most=most)
    loss = found.cells[STEP_DIGESTS.index("loss")]
    assert len(loss) == min(most, 10)
    (column,) = np.flatnonzero(loss == Agreement.DIFFER)
    ends = [*found.starts[1:].tolist(), 10]
    assert found.starts[column] <= 6 < ends[column]


def test_runs_without_rows_have_empty_maps(make_run):
    a, b = make_run(), make_run()
    assert steps_map(a, b).cells.shape == (len(STEP_DIGESTS), 0)
    assert operations_map(a, b).cells.shape == (0, 0)


def test_the_end_is_no_step(make_run):
    end = {**step_row(2), "kind": "end"}
    a = make_run(steps=[step_row(0), step_row(1), end])
    b = make_run(steps=[step_row(0), step_row(1), step_row(2)])
    assert steps_map(a, a).losses.shape == (2, 2)
    assert steps_map(a, b).cells[:, 2].tolist() == [Agreement.ONLY_ONE_RUN] * len(STEP_DIGESTS)
