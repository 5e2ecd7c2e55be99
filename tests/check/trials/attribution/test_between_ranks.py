"""What was received differs although no rank has sent anything else: told by rows."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tests.check.process_entries import process_entry

from samebits.check.diff.divergence import compare_traces
from samebits.check.trace.process_folders import process_folder
from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import Flag
from samebits.check.trials.attribution.between_ranks import (
    from_other_ranks,
    is_hidden_by_steps,
    of_a_collective,
)

REDUCE = {"op": "c10d.allreduce_", "flags": 16, "inputs": 3, "site": ("train.py", 8, "step", "")}
ANY = {"op": "c10d.recv_any_source_", "flags": 16, "site": ("train.py", 9, "serve", "")}
NAMED = {**ANY, "op": "c10d.recv_"}


def used(value, **more):
    """A row that looks at what was received."""
    site = ("train.py", 20, "step", "")
    facts = {"op": "aten.mul.Tensor", "flags": int(Flag.RECEIVED), "site": site}
    return {**facts, "data": value, "inputs": value, "outputs": value + 100, **more}


@pytest.fixture
def told(make_run):
    """The cause in two runs whose ranks have these rows."""

    def run(ranks, received=(), world=0, steps=()):
        entries = [
            process_entry(
                f"0.{n + 1}",
                rank=str(n),
                world=str(world or len(ranks)),
                via="torchrun",
                file="/a/train.py",
                line=12,
                program="torchrun",
                torch="computed",
                recorded=True,
                rows=len(rows),
                exit={"code": 0, "signal": None},
            )
            for n, rows in enumerate(ranks)
        ]
        made = make_run([], cwd="/a", processes=entries)
        for entry, rows in zip(entries, ranks, strict=True):
            folder = process_folder(made.folder, entry["name"])
            make_run(rows, folder=folder, received=list(received), steps=tuple(steps))
        return Trace.open(made.folder)

    def cause(a, b, *, left=((), ()), by=from_other_ranks, world=0, steps=((), ())):
        pair = run(a, left[0], world, steps[0]), run(b, left[1], world, steps[1])
        found = compare_traces(*pair).first_divergence
        assert found is not None
        own = tuple(t.process(found.processes[0]) for t in pair)
        return by(SimpleNamespace(closer=found, closer_traces=pair, closer_own_traces=own))

    return cause


def test_a_reduction_that_differs_on_equal_inputs_is_its_order(told):
    cause = told([[REDUCE, used(5)]] * 2, [[REDUCE, used(6)]] * 2)
    assert (cause.code, cause.confidence) == ("collective-order", "likely")
    assert (cause.file, cause.line, cause.detail) == ("train.py", 8, "c10d.allreduce_")
    assert "async_op=True" in cause.fix
    assert "NCCL" not in cause.fix


def test_what_a_rank_held_before_it_was_sent_something_else_is_not_given(told):
    ranks = [[], []]
    for n, rows in enumerate(ranks):
        held = {**REDUCE, "op": "c10d.broadcast_", "inputs": 40 + n}
        rows += [[held, REDUCE, used(5 + n)], [REDUCE, used(5 + n)]]
    assert told(*ranks).code == "collective-order"


def test_on_a_gpu_the_settings_of_nccl_are_named(told):
    on_cuda = {"signature": "float32[4] cuda"}
    cause = told([[REDUCE, used(5, **on_cuda)]] * 2, [[REDUCE, used(6, **on_cuda)]] * 2)
    assert "NCCL_ALGO=Ring NCCL_PROTO=Simple" in cause.fix


def read(value):
    return {"op": "aten.add.Tensor", "data": value, "inputs": value, "outputs": value}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([REDUCE], [{**REDUCE, "inputs": 4}]),
        ([{"op": "aten.add.Tensor"}, REDUCE], [{"op": "aten.add.Tensor", "outputs": 9}, REDUCE]),
        ([read(3), REDUCE], [read(9), REDUCE]),
    ],
    ids=["it gives something else", "it computes something else", "it reads something else"],
)
def test_where_a_rank_differs_before_it_received_anything_it_is_no_order(told, before, after):
    a, b = [REDUCE, used(5)], [REDUCE, used(6)]
    assert told([a, [*before, used(5)]], [b, [*after, used(6)]]) is None


@pytest.mark.parametrize("row", [NAMED, {"op": "aten.add.Tensor"}])
def test_what_a_named_rank_sent_and_what_was_read_is_no_order(told, row):
    flags = {} if row is NAMED else {"flags": 0}
    assert told([[row, used(5, **flags)]] * 2, [[row, used(6, **flags)]] * 2) is None


SENT = {"op": "c10d.send", "flags": 16, "inputs": 3, "site": ("train.py", 7, "step", "")}


@pytest.mark.parametrize("by", [from_other_ranks, of_a_collective])
def test_a_message_that_was_sent_the_same_is_read_before_it_has_come(told, by):
    a, b = ([[NAMED, SENT, used(value)]] * 2 for value in (5, 6))
    cause = told(a, b, by=by)
    assert (cause.code, cause.file, cause.line) == ("process-timing", "train.py", 20)
    assert "still under way" in cause.evidence
    assert "work.wait()" in cause.fix


def test_a_message_that_differs_itself_is_not_read_too_early(told):
    sent = [[{**SENT, "inputs": value}] for value in (3, 4)]
    assert told([[NAMED, used(5)], sent[0]], [[NAMED, used(6)], sent[1]]) is None
    # Who sends nothing before it differs may send anything.
    a, b = ([[NAMED, used(value)], [NAMED, used(value), SENT]] for value in (5, 6))
    assert told(a, b) is None


def test_messages_of_any_rank_in_another_order_are_told(told):
    sent = [[{"op": "c10d.send", "flags": 16, "inputs": 3}]]
    a, b = [], []
    for rows, came in ((a, (5, 6)), (b, (6, 5))):
        for number, value in enumerate(came):
            total = 50 if number else value
            rows += [ANY, used(value), {"op": "aten.sub.Tensor", "inputs": total, "outputs": total}]
    assert told([a, *sent], [b, *sent]) is None  # one rank alone sends
    cause = told([a, *sent, *sent], [b, *sent, *sent])
    assert (cause.code, cause.line) == ("process-timing", 9)
    assert "The next 2 messages" in cause.evidence
    assert "src=rank" in cause.fix


def test_a_message_that_is_looked_at_several_times_is_one(told):
    sent = [[{"op": "c10d.send", "flags": 16, "inputs": 3}]]
    a, b = [], []
    for rows, came in ((a, (5, 6)), (b, (6, 5))):
        for number, value in enumerate(came):
            total = 50 if number else value
            rows += [ANY, *(used(10 * value + part) for part in range(7))]
            rows += [{"op": "aten.sub.Tensor", "inputs": total, "outputs": total}]
    cause = told([a, *sent, *sent], [b, *sent, *sent])
    assert "The next 2 messages" in cause.evidence


@pytest.mark.parametrize(
    ("flag", "code"),
    [
        (Flag.INPLACE, "collective-order"),
        (Flag.CHANGED_MEANWHILE, "collective-order"),
        (Flag(0), None),
    ],
)
def test_a_tensor_that_is_written_while_it_is_reduced_is_told(told, flag, code):
    a, b = (
        [REDUCE, {**used(5), "data": 5, "outputs": value, "flags": int(Flag.RECEIVED | flag)}]
        for value in (105, 106)
    )
    cause = told([a, a], [b, b])
    assert (cause.code if cause else None) == code


@pytest.mark.parametrize(("other", "code"), [(5, None), (6, "collective-order")])
def test_what_was_waited_for_and_came_the_same_is_no_order(told, other, code):
    left = tuple([(0, 0, "0:0,1", 0, 7, digest)] for digest in (5, other))
    cause = told([[REDUCE, used(5)]] * 2, [[REDUCE, used(6)]] * 2, left=left)
    assert (cause.code if cause else None) == code


def test_of_several_messages_of_any_rank_the_last_may_be_the_same(told):
    left = tuple([(0, 0, "0:0,1", 0, 7, first), (1, 1, "0:0,1", 0, 7, 9)] for first in (5, 6))
    others = [[NAMED], [NAMED]]
    runs = ([[ANY, ANY, used(value)], *others] for value in (5, 6))
    assert told(*runs, left=left).code == "process-timing"


def test_a_collective_is_told_before_anything_is_pinned(told):
    cause = told([[REDUCE, used(5)]] * 2, [[REDUCE, used(6)]] * 2, by=of_a_collective)
    assert cause.code == "collective-order"
    came = [ANY, used(5)]
    others = [[NAMED], [NAMED]]
    cause = told([came, *others], [[ANY, used(6)], *others], by=of_a_collective)
    assert (cause.code, cause.line) == ("process-timing", 9)


def test_where_a_rank_was_not_recorded_it_may_be_the_reason(told):
    ranks = [[REDUCE, used(5)]] * 2, [[REDUCE, used(6)]] * 2
    assert told(*ranks, by=of_a_collective, world=2) is not None
    assert told(*ranks, by=of_a_collective, world=3) is None


@pytest.mark.parametrize(("trained", "hidden"), [(4, True), (3, False)])
def test_a_rank_that_differs_in_a_step_hides_what_it_has_said(told, trained, hidden):
    steps = [({"step": 1, "parameters": digest, "ops_end": 2},) for digest in (3, trained)]
    ranks = [[[ANY, used(value)], [NAMED], [NAMED]] for value in (5, 6)]
    assert told(*ranks, by=is_hidden_by_steps, steps=steps) is hidden
    assert told(*ranks, by=is_hidden_by_steps, steps=steps, world=4) is False
    found = told(*ranks, by=of_a_collective, steps=steps)
    assert (found is None) is hidden
