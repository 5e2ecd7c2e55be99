"""How likely luck is, and how many runs it takes to exclude it."""

from __future__ import annotations

import random
from dataclasses import replace
from types import SimpleNamespace

import pytest

from samebits.check.diff.verdict import PLAIN_ARGUMENTS, UNEXPLAINED_INPUTS, Divergence
from samebits.check.trace.rows import Site
from samebits.check.trials.attribution.luck import is_excluded, luck
from samebits.check.trials.attribution.scope import up_to
from samebits.check.trials.attribution.tally import Outcome, Tally


@pytest.mark.parametrize(("agreements", "divergences"), [(0, 9), (9, 0), (1, 1), (1, 4), (2, 2)])
def test_few_comparisons_exclude_nothing(agreements, divergences):
    assert not is_excluded(agreements, divergences, intermittent=False)


@pytest.mark.parametrize(("agreements", "divergences"), [(2, 3), (3, 2), (1, 7)])
def test_so_many_exclude_luck_where_every_pair_differs(agreements, divergences):
    assert is_excluded(agreements, divergences, intermittent=False)
    assert not is_excluded(agreements, divergences, intermittent=True)


def test_more_are_needed_where_a_difference_may_come_and_go():
    assert is_excluded(4, 5, intermittent=True)
    assert not is_excluded(4, 4, intermittent=True)


@pytest.mark.parametrize(("agreements", "divergences"), [(1, 1), (2, 3), (4, 5)])
def test_it_is_the_chance_of_that_record_when_the_intervention_changes_nothing(
    agreements, divergences
):
    """Scripts with any chance of agreeing, drawn evenly: how often have they this very record?"""
    generator = random.Random(0)
    hits = 0
    for _ in range(200_000):
        p = generator.random()
        agreed = all(generator.random() < p for _ in range(agreements))
        hits += agreed and all(generator.random() >= p for _ in range(divergences))
    expected = luck(agreements, divergences, intermittent=True)
    assert abs(hits / 200_000 - expected) < 4 * (expected / 200_000) ** 0.5


def test_runs_that_diverge_further_on_are_no_agreement_where_pinned_ones_agree():
    """Which operation comes next may agree by luck; what follows does not."""
    record = Tally()
    seeds = frozenset({"seeds"})
    record.add(seeds, Outcome.AGREED, 1)
    record.add(frozenset(), Outcome.DIVERGED, 2)
    record.add(frozenset(), Outcome.FURTHER, 3)
    assert record.counts(seeds, "seeds", Outcome.AGREED) == (1, 2)
    assert not record.came_further_anyway(Outcome.AGREED)
    assert record.came_further_anyway(Outcome.FURTHER)


def test_runs_go_beyond_what_they_may_agree_in_by_luck():
    """The next operation is one of a few, and so is an index."""
    found = Divergence(kind="output", step=0, phase="data", op="aten.zeros", rows=(7, 7))
    assert up_to(found).row == 7
    assert up_to(replace(found, kind="inserted")).row > 100
    assert up_to(replace(found, detail=PLAIN_ARGUMENTS)).row > 100
    assert up_to(replace(found, data=True)).row == 7


@pytest.mark.parametrize(
    ("lines", "changes", "beyond"),
    [
        ([30, 31, 30], {"data": True}, True),
        ([30, 31, 32], {"data": True}, False),
        ([30], {"data": True}, False),
        ([30, 31, 30], {}, False),
        ([30, 31, 30], {"detail": UNEXPLAINED_INPUTS}, True),
    ],
)
def test_data_of_a_loop_are_one_of_many(lines, changes, beyond):
    """The first of the files that a dataset reads, or chooses, may be the same one by luck."""

    def rows(indices):
        return [
            SimpleNamespace(op="aten.lift_fresh", site=Site("data.py", lines[index - 7], "f", ""))
            for index in indices
        ]

    trace = SimpleNamespace(rows=rows, count_ops=lambda: 7 + len(lines))
    found = Divergence(kind="output", step=0, phase="data", op="aten.lift_fresh", rows=(7, 7))
    scope = up_to(replace(found, **changes), trace)
    assert scope.row == (207 if beyond else 7)
