"""Generators that several draw from, how often going by timing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check import causes
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.shared_generators import drawn_for_pauses
from samebits.check.causes.writing.fix import fix
from samebits.core.source.statement import statement_at

SOURCE = """
def wait_for(path):
    while not os.path.exists(path):
        time.sleep(pause * random.uniform(0.5, 1.5))

def shuffled(rows):
    random.shuffle(rows)
"""
PAUSES, SHUFFLES = 4, 7


@pytest.fixture
def drew(tmp_path):
    """A line of the source that has drawn from Python's generator, more often in one run or not."""
    path = tmp_path / "train.py"
    path.write_text(SOURCE)

    def of(line, more=0, **changes):
        pair = entry("python", "draw", line, calls=3, **changes)
        site = pair.row.site._replace(file=str(path))
        rows = [replace(row, site=site) for row in (pair.row, pair.other)]
        return replace(pair, row=rows[0], other=replace(rows[1], calls=3 + more))

    return of


def found(*entries):
    return drawn_for_pauses(Evidence(found=divergence(), entries=entries))


def test_pauses_are_drawn_from_what_others_draw_from(drew):
    pauses = drew(PAUSES, more=2)
    assert found(drew(SHUFFLES), pauses, drew(SHUFFLES, more=1)) is pauses
    culprit = Culprit(file=pauses.row.site.file, line=PAUSES, entry=pauses)
    statement = statement_at(culprit.file, culprit.line)
    for code in ("process-timing", "thread-timing"):
        assert "a generator of their own" in causes.known(code).advice(culprit, (), statement)


def test_pauses_that_are_as_many_as_a_whole_move_what_comes_in_between(drew):
    """How many numbers a shuffle draws goes by what the generator holds."""
    pauses, shuffled = drew(PAUSES), drew(SHUFFLES, more=1)
    moved = replace(shuffled, row=replace(shuffled.row, detail="random.shuffle"))
    assert found(pauses, moved) is pauses
    assert found(moved, pauses) is None
    assert found(pauses, shuffled) is None
    assert found(pauses, drew(SHUFFLES)) is None
    assert found(pauses, replace(moved, row=replace(moved.row, source="numpy"))) is None
    assert found(pauses, replace(moved, row=replace(moved.row, process=1))) is None
    assert found(pauses, replace(moved, other=None)) is None
    culprit = Culprit(file=pauses.row.site.file, line=PAUSES, entry=pauses)
    assert fix("thread-timing", culprit, frozenset()).startswith("When this line draws")


def test_other_draws_are_not_taken_for_pauses(drew):
    pauses = drew(PAUSES, more=2)
    assert found(pauses) is None  # nobody else draws from it
    assert found(drew(SHUFFLES), pauses) is None  # or nobody afterwards
    assert found(replace(drew(SHUFFLES), other=None), pauses, drew(SHUFFLES)) is None
    assert found(drew(PAUSES), drew(SHUFFLES)) is None  # as often in both runs
    assert found(drew(SHUFFLES, more=1), pauses) is None  # the other one came first
    assert found(drew(PAUSES, more=2, worker=0), drew(SHUFFLES)) is None
    own = {"detail": "random.Random.uniform"}
    assert found(drew(PAUSES, more=2, **own), drew(SHUFFLES)) is None
