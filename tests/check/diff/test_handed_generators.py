"""Whether threads draw from torch's own generator or from those that they were handed."""

from __future__ import annotations

import pytest
from tests.check.causes.made_up import entry

from samebits.check.diff.draws_by_pace import draws_by_pace
from samebits.check.diff.handed_generators import lines_of_handed_generators
from samebits.check.trace.schema import NO_SITE, Flag

DRAW = {"op": "aten.rand", "flags": int(Flag.RANDOM), "site": ("train.py", 5, "main", "")}
OTHER = {"op": "aten.add", "site": ("train.py", 5, "main", "")}
STEP = {"kind": "step", "step": 0, "site": NO_SITE, "ops_end": 1}


def drawn(source, calls):
    return entry(source, "draw", 5, calls=calls).row


@pytest.fixture
def threads(make_run):
    def recorded(*numbers, steps=()):
        return [make_run([OTHER, *[DRAW] * number], steps=steps) for number in numbers]

    return recorded


@pytest.mark.parametrize(("calls", "found"), [(3, {("train.py", 5)}), (4, set()), (2, set())])
def test_threads_that_draw_as_often_as_handed_generators_do_draw_from_these(threads, calls, found):
    ledger = [drawn("torch-cpu", 40), drawn("torch-generator", calls)]
    assert lines_of_handed_generators(threads(2, 1), ledger) == found


def test_without_rows_of_all_draws_nothing_is_told(threads):
    ledger = [drawn("torch-generator", 3)]
    assert lines_of_handed_generators(threads(2, 1, steps=[STEP]), ledger) == set()
    assert lines_of_handed_generators(threads(2, 1), [drawn("torch-cpu", 3)]) == set()


@pytest.mark.parametrize(("calls", "by_pace"), [(3, False), (2, True)])
def test_a_network_trained_before_does_not_make_tasks_draw_by_pace(
    threads, monkeypatch, calls, by_pace
):
    own = threads(2, 1)
    seeds = [entry("torch-generator", "seed", 4, calls=4).row]
    ledger = [drawn("torch-cpu", 40), drawn("torch-generator", calls), *seeds]
    monkeypatch.setattr(type(own[0]), "ledger", lambda self, rank=0: ledger)
    assert draws_by_pace(own, on_threads=True) == by_pace
