"""Numbers that one run alone reads off a tensor are no difference; what is computed is one."""

from __future__ import annotations

import pytest

from samebits.check.diff.reads import differ_in_reads_alone
from samebits.check.trace.schema import Flag

ADD = {"op": "aten.add.Tensor", "outputs": 1}
MUL = {"op": "aten.mul.Tensor", "outputs": 2}
READ = {"op": "aten._local_scalar_dense", "outputs": 3}
MEAN = {"op": "aten.mean", "outputs": 4}


@pytest.mark.parametrize(
    ("of_a", "of_b", "expected"),
    [
        ([ADD, READ, MUL], [ADD, MUL], True),
        ([ADD, MUL], [ADD, MUL, READ], True),
        ([ADD, READ, MUL, ADD], [ADD, MUL, ADD, READ], True),
        ([ADD, MUL], [ADD, MUL], False),
        ([ADD, MEAN, READ, MUL], [ADD, MUL], False),
        ([ADD, READ, MUL], [ADD, {**MUL, "outputs": 9}], False),
        ([ADD, READ, MUL], [ADD, {**MUL, "outputs": 9, "flags": int(Flag.SCRATCH)}], True),
        ([READ], [ADD], False),
    ],
)
def test_only_reads_may_be_left_over(make_run, of_a, of_b, expected):
    a, b = (make_run(rows, flush_every=2) for rows in (of_a, of_b))
    assert differ_in_reads_alone(a, b) is expected
    assert differ_in_reads_alone(b, a) is expected
