"""Whether threads draw from torch's own generator or from those that they were handed."""

from __future__ import annotations

import pytest
from tests.check.causes.made_up import entry

from samebits.check.diff.draws_by_pace import draws_by_pace
from samebits.check.diff.handed_generators import lines_of_handed_generators
from samebits.check.trace.schema import NO_SITE, Flag

SITE = {"site": ("train.py", 5, "main", "")}
OWN = {"op": "aten.rand", "flags": int(Flag.RANDOM), **SITE}
HANDED = {**OWN, "flags": int(Flag.RANDOM | Flag.HANDED_GENERATOR)}
OTHER = {"op": "aten.add", **SITE}
STEP = {"kind": "step", "step": 0, "site": NO_SITE, "ops_end": 1}
LINE = {("train.py", 5)}


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([[HANDED], [OTHER, HANDED]], LINE),
        ([[HANDED], [OWN]], set()),
        ([[OWN], []], set()),
        ([[OTHER], []], set()),
    ],
)
def test_lines_at_which_threads_draw_from_what_they_were_handed(make_run, rows, found):
    assert lines_of_handed_generators([make_run(own) for own in rows]) == found


def test_after_a_step_there_may_be_draws_without_rows(make_run):
    assert lines_of_handed_generators([make_run([HANDED], steps=[STEP])]) == set()


@pytest.mark.parametrize(("row", "by_pace"), [(HANDED, False), (OWN, True)])
def test_a_network_trained_before_does_not_make_tasks_draw_by_pace(
    make_run, monkeypatch, row, by_pace
):
    own = [make_run([row, row]), make_run([row])]
    draws = [entry(source, "draw", 5).row for source in ("torch-cpu", "torch-generator")]
    ledger = [*draws, entry("torch-generator", "seed", 4, calls=4).row]
    monkeypatch.setattr(type(own[0]), "ledger", lambda self, rank=0: ledger)
    assert draws_by_pace(own, on_threads=True) == by_pace
