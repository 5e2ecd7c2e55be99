from __future__ import annotations

import pytest

from samebits.check.diff.evident_cause import evident_cause
from samebits.check.diff.seen import Seen
from samebits.check.diff.verdict import PLAIN_ARGUMENTS, UNEXPLAINED_INPUTS, Divergence
from samebits.check.trace.rows import LedgerRow, Site


def cause_of(**facts):
    return evident_cause(
        Divergence(**{"kind": "output", "step": 0, "phase": "forward", "op": "aten.x", **facts})
    )


@pytest.mark.parametrize(
    ("facts", "code", "fix"),
    [
        ({"data": True}, "data-changed", "samebits.seed_everything(0)"),
        ({"kind": "step", "op": "batch"}, "data-changed", "sort what is listed"),
        ({"random": True}, "unseeded-rng", "torch.manual_seed(0)"),
        ({"random": True, "data": True}, "data-changed", "Seed those"),
        ({"random": True, "detail": UNEXPLAINED_INPUTS}, "unknown", "shares its memory"),
        ({"kind": "step", "op": "generators", "random": True}, "unseeded-rng", "seed_everything"),
        ({"kind": "inserted"}, "control-flow", "condition"),
        ({"kind": "step", "op": "steps"}, "control-flow", "condition"),
        ({"kind": "step", "op": "loss"}, "unknown", "--level op"),
        ({"detail": PLAIN_ARGUMENTS}, "unknown", "clock"),
        ({}, "unknown", "--control"),
        ({"op": "aten.linalg_lstsq"}, "nondeterministic-op", "gelsd"),
        ({"op": "aten.linalg_lstsq", "detail": UNEXPLAINED_INPUTS}, "unknown", "shares its memory"),
        # What the catalog says of the operation holds on another device.
        ({"op": "aten.scatter_add", "signature": "float32[3]"}, "unknown", "--control"),
        ({"kind": "printed"}, "unknown", "temporary names"),
        ({"kind": "saved"}, "unknown", "clocks"),
        ({"kind": "exit"}, "unknown", "clocks"),
    ],
)
def test_what_the_divergence_shows_by_itself(facts, code, fix):
    cause = cause_of(**facts)
    assert cause.code == code
    assert fix in cause.fix
    assert cause.confidence == "likely"


def test_the_cause_names_the_line():
    cause = cause_of(random=True, file="train.py", line=3)
    assert (cause.file, cause.line) == ("train.py", 3)


def test_advice_on_unwritten_memory_needs_an_operation_that_read_some():
    changed = Divergence(
        kind="output", step=0, phase="forward", op="aten.x", detail=UNEXPLAINED_INPUTS
    )
    plain = evident_cause(changed, Seen())
    assert plain.code == "unknown"
    assert "torch.empty" not in plain.fix
    read = evident_cause(changed, Seen(reads_unwritten=True))
    assert (read.code, read.confidence) == ("uninitialized-memory", "likely")
    assert "torch.zeros" in read.fix


def test_processes_that_were_started_before_are_named():
    started = LedgerRow(
        source="process", event="start", detail="", site=Site("hogwild.py", 17, "", ""), calls=2
    )
    changed = Divergence(
        kind="output", step=0, phase="forward", op="aten.x", detail=UNEXPLAINED_INPUTS
    )
    cause = evident_cause(changed, Seen(started=(started,)))
    assert (cause.code, cause.confidence) == ("process-timing", "likely")
    assert "had started 2 processes (hogwild.py:17) before" in cause.evidence
    assert "torch.empty" not in cause.fix
    assert "NumPy" not in cause.fix


def test_data_may_be_what_others_write_into_memory_that_they_share():
    data = Divergence(kind="output", step=0, phase="forward", op="aten.x", data=True)
    assert "share_memory_" not in evident_cause(data, Seen()).fix
    started = LedgerRow(
        source="process", event="start", detail="", site=Site("main.py", 96, "", ""), calls=2
    )
    fix = evident_cause(data, Seen(started=(started,))).fix
    assert "had started 2 processes (main.py:96) before" in fix
    assert "share_memory_" in fix
