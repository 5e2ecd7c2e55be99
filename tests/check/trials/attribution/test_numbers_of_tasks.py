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


def seeded(number, line=9, source="torch-cpu"):
    return replace(entry(source, "seed", line, seeded=1).row, digest=number)


def drawn(amount):
    return replace(entry("torch-cpu", "draw", 15, seeded=1).row, amount=amount)


def recorded(count, rows):
    manifest = SimpleNamespace(counts={"ops": count})
    return SimpleNamespace(manifest=manifest, ledger=lambda: list(rows))


def run(done, seeds, *, parent=(), names=None):
    """A run with a process for each number of operations, of which each draws ten numbers."""
    names = names or [f"0.{number}" for number, _ in enumerate(done, 1)]
    entries = [process_entry(name) for name in names]
    own = {
        name: recorded(count, [*of, drawn(10 * count)])
        for name, count, of in zip(names, done, seeds, strict=True)
    }
    manifest = SimpleNamespace(processes=entries, further=entries, threads=())
    return SimpleNamespace(manifest=manifest, process=own.get, ledger=lambda: list(parent))


ONCE = ([seeded(1)], [seeded(2)])
NEVER: tuple[list[Any], ...] = ([], [])


def told(a, b, *entries, shares_work=True, names=("0.1", "0.2"), **changes):
    facts = {"random": True, "data": False, "op": "aten.bernoulli_", "processes": names}
    found = divergence(**{**facts, **changes})
    situation: Any = SimpleNamespace(traces=(a, b))
    evidence = Evidence(found=found, entries=entries, shares_work=shares_work)
    return numbers_of_who_took_the_task(situation, evidence)


def test_the_line_that_seeds_once_is_named():
    sampler = seeded(7, 4, "torch-generator")
    seeds = ([sampler, seeded(1)], [sampler, seeded(2)])
    cause = told(run((30, 50), seeds), run((40, 40), seeds))
    assert (cause.code, cause.line, cause.confidence) == ("process-timing", 9, "likely")
    assert "seeded once, with the same number in both runs" in cause.evidence
    assert "by the number of the task" in cause.fix


def test_forks_that_go_on_with_their_parents_generator_are_named_where_they_draw():
    parent = [seeded(5, 3)]
    runs = [run(done, NEVER, parent=parent) for done in ((30, 50), (40, 40))]
    cause = told(*runs, line=15)
    assert cause.line == 15
    assert "when the process was forked" in cause.evidence


@pytest.mark.parametrize(
    ("a", "b", "changes"),
    [
        (run((40, 40), ONCE), run((40, 40), ONCE), {}),
        (run((30, 50), ONCE), run((40, 50), ONCE), {}),
        (run((30, 50), ONCE), run((40, 40), ([seeded(1)], [seeded(3)])), {}),
        (run((30, 50), ONCE), run((40, 40), ([seeded(1)], [seeded(2, 8)])), {}),
        (
            run((30, 50), NEVER, parent=[seeded(5)]),
            run((40, 40), NEVER, parent=[seeded(6)]),
            {},
        ),
        (run((30, 50), NEVER), run((40, 40), NEVER), {}),
        (run((30, 50), ONCE), run((40, 40), ONCE, names=["0.1", "0.3"]), {"names": ("0.1", "0.3")}),
        (run((30, 50), ONCE), run((40, 40), ONCE), {"random": False}),
        (run((30, 50), ONCE), run((40, 40), ONCE), {"shares_work": False}),
        (run((30, 50), ONCE), run((40, 40), ONCE), {"names": ()}),
    ],
    ids=[
        "own tasks",
        "other work",
        "other seeds",
        "seeds of other lines",
        "another seed of the parent",
        "no seed at all",
        "other processes",
        "no draw",
        "ranks",
        "the script's own process",
    ],
)
def test_nothing_is_said_where_something_else_may_be_the_reason(a, b, changes):
    assert told(a, b, **changes) is None


def test_nor_where_a_generator_has_no_seed():
    unseeded = entry("python", "draw", 12, seeded=0)
    assert told(run((30, 50), ONCE), run((40, 40), ONCE), unseeded) is None
