"""Work that only the first run did, and whether all else agrees."""

from __future__ import annotations

import pytest

from samebits.check.diff.surplus import (
    agree_but_for_operations,
    agree_but_for_surplus,
    first_surplus,
)
from samebits.check.trace.schema import Flag

CACHE = [
    {"op": "aten.sin.default", "outputs": number, "site": ("data.py", 4, "made", "")}
    for number in (21, 22)
]
TRAINING = [
    {"op": "aten.mm.default", "outputs": 5, "site": ("main.py", 9, "fit", "")},
    {"op": "aten.sum.default", "outputs": 6, "site": ("main.py", 9, "fit", "")},
]


def pair(make_run, first, second, of_a=None, of_b=None):
    return make_run(first, **(of_a or {})), make_run(second, **(of_b or {}))


def _file(path, digest, kind="tensors"):
    return {"path": path, "kind": kind, "digest": digest, "step": 0, "size": 1}


def test_operations_of_the_first_run_alone_are_passed_over(make_run):
    assert agree_but_for_surplus(*pair(make_run, [*CACHE, *TRAINING], TRAINING))
    assert agree_but_for_surplus(*pair(make_run, [TRAINING[0], *CACHE, TRAINING[1]], TRAINING))


def test_the_first_operation_that_only_one_run_did_is_named(make_run):
    more = [TRAINING[0], *CACHE, TRAINING[1]]
    assert first_surplus(*pair(make_run, TRAINING, TRAINING)) is None
    for runs in (more, TRAINING), (TRAINING, more):
        assert first_surplus(*pair(make_run, *runs)).outputs == 21
    assert first_surplus(*pair(make_run, [*TRAINING, CACHE[0]], TRAINING)).outputs == 21


def test_rows_of_different_steps_are_not_the_same(make_run):
    def asked_in(*steps):
        rows = []
        for step in range(4):
            rows += [{**one, "step": step} for one in ([CACHE[0]] if step in steps else [])]
            rows += [{**one, "step": step, "outputs": step} for one in TRAINING]
        return rows

    # Shifted by a step, more of the rows would be alike.
    a, b = pair(make_run, asked_in(0, 1, 2), asked_in(1, 2, 3))
    assert agree_but_for_operations(a, b)
    assert first_surplus(a, b).step == 0


@pytest.mark.parametrize("row", [0, 1])
def test_another_result_of_what_both_did_is_not(make_run, row):
    other = [dict(one) for one in TRAINING]
    other[row]["outputs"] = 99
    assert not agree_but_for_surplus(*pair(make_run, [*CACHE, *TRAINING], other))


def test_memory_that_nobody_wrote_has_no_result(make_run):
    empty = [{"op": "aten.empty.memory_format", "flags": Flag.SCRATCH} for _ in range(2)]
    a, b = ({**row, "outputs": number} for number, row in enumerate(empty))
    assert agree_but_for_surplus(*pair(make_run, [*CACHE, a, *TRAINING], [b, *TRAINING]))


def test_a_run_that_ends_otherwise_does_not_agree(make_run):
    failed = {"exit": {"code": 1, "signal": None, "reason": "finished"}}
    assert not agree_but_for_surplus(*pair(make_run, [*CACHE, *TRAINING], TRAINING, of_b=failed))


@pytest.mark.parametrize(
    ("of_a", "of_b", "agree"),
    [
        ([_file("/w/cache.pt", "c"), _file("/w/out.pt", "o")], [_file("/w/out.pt", "o")], True),
        ([_file("/w/out.pt", "o")], [_file("/w/out.pt", "p")], False),
        ([], [_file("/w/out.pt", "o")], False),
        ([_file("/w/r.json", "o", "values")], [_file("/w/r.json", "p", "values")], False),
    ],
    ids=["only the first wrote it", "another result", "only the second wrote it", "values"],
)
def test_files_that_both_wrote_decide(make_run, of_a, of_b, agree):
    files = [{"files": written} for written in (of_a, of_b)]
    assert agree_but_for_surplus(*pair(make_run, [*CACHE, *TRAINING], TRAINING, *files)) is agree


@pytest.mark.parametrize(
    ("of_a", "of_b", "agree"),
    [
        ("made 400 rows\nloss 0.5\n", "loss 0.5\n", True),
        ("loss 0.5\n", "found them\nloss 0.5\n", True),
        ("loss 0.5\n", "loss 0.6\n", False),
    ],
    ids=["only the first printed it", "no number", "another number"],
)
def test_numbers_that_the_second_run_alone_printed_decide(make_run, of_a, of_b, agree):
    text = [{"printed": printed} for printed in (of_a, of_b)]
    assert agree_but_for_surplus(*pair(make_run, [*CACHE, *TRAINING], TRAINING, *text)) is agree
