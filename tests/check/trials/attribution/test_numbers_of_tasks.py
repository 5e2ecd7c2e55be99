"""Processes that take tasks as they come, seeded once each."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from tests.check.causes.made_up import divergence, entry
from tests.check.process_entries import process_entry

from samebits.check.causes.evidence import Evidence
from samebits.check.trials.attribution.numbers_of_tasks import numbers_of_who_took_the_task


def seeded(number, line=9):
    return replace(entry("torch-cpu", "seed", line, seeded=1).row, digest=number)


def run(rows, seeds):
    """A run with a process for each number of operations, and what each was seeded with."""
    names = [f"0.{number}" for number, _ in enumerate(rows, 1)]
    entries = [process_entry(name, rows=done) for name, done in zip(names, rows, strict=True)]
    own = {
        name: SimpleNamespace(ledger=lambda of=of: list(of))
        for name, of in zip(names, seeds, strict=True)
    }
    manifest = SimpleNamespace(processes=entries, further=entries, threads=())
    return SimpleNamespace(manifest=manifest, process=own.get)


ONCE = ([seeded(1)], [seeded(2)])


def told(a, b, *entries, shares_work=True, names=("0.1", "0.2"), **changes):
    facts = {"random": True, "data": False, "op": "aten.bernoulli_", "processes": names}
    found = divergence(**{**facts, **changes})
    own = tuple(one.process(name) for one, name in zip((a, b), names, strict=False))
    situation: Any = SimpleNamespace(traces=(a, b), own_traces=own)
    evidence = Evidence(found=found, entries=entries, shares_work=shares_work)
    return numbers_of_who_took_the_task(situation, evidence)


def test_the_line_that_seeds_once_is_named():
    cause = told(run((30, 50), ONCE), run((40, 40), ONCE))
    assert (cause.code, cause.line, cause.confidence) == ("process-timing", 9, "likely")
    assert "by the number of the task" in cause.fix


def test_forks_that_go_on_with_their_parents_generator_are_named_where_they_draw():
    cause = told(run((30, 50), ([], [])), run((40, 40), ([], [])), line=15)
    assert cause.line == 15


@pytest.mark.parametrize(
    ("a", "b", "changes"),
    [
        (run((40, 40), ONCE), run((40, 40), ONCE), {}),
        (run((30, 50), ONCE), run((40, 50), ONCE), {}),
        (run((30, 50), ONCE), run((40, 40), ([seeded(1)], [seeded(3)])), {}),
        (run((30, 50), ONCE), run((40, 40), ONCE), {"random": False}),
        (run((30, 50), ONCE), run((40, 40), ONCE), {"shares_work": False}),
        (run((30, 50), ONCE), run((40, 40), ONCE), {"names": ()}),
    ],
    ids=["own tasks", "other work", "other seeds", "no draw", "ranks", "the script's own process"],
)
def test_nothing_is_said_where_something_else_may_be_the_reason(a, b, changes):
    assert told(a, b, **changes) is None


def test_nor_where_a_generator_has_no_seed():
    drawn = entry("python", "draw", 12, seeded=0)
    assert told(run((30, 50), ONCE), run((40, 40), ONCE), drawn) is None
