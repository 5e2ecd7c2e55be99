"""What is pinned to see whether text goes by more than times and names: never what seeds go by."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from samebits.check.diff.verdict import Divergence
from samebits.check.record.plan import RunPlan
from samebits.check.trace.ledger import write_ledger
from samebits.check.trace.rows import LedgerRow, Site
from samebits.check.trials.harmless_text import with_clock_and_names_pinned

LINE = Site("/project/train.py", 10, "main", "")
NAME = LedgerRow(source="uuid", event="draw", detail="uuid.uuid4", site=LINE)
TIME = LedgerRow(source="clock", event="read", detail="time.time", site=LINE)
SEED = LedgerRow(
    source="torch-generator",
    event="seed",
    detail="torch.Generator.manual_seed",
    site=LINE,
    seeded=1,
    digest=5,
)
OF_NAME = replace(SEED, origin=0)
OTHER = replace(SEED, digest=6)
CLOCK, NAMES, USAGE = "the clock", "names from uuid", "readings of memory"


@pytest.fixture
def pinned(make_run, tmp_path):
    """What is pinned, in words: pinned(rows of run 1, rows of run 2); None for nothing."""

    def found(*ledgers):
        runs: list[Any] = []
        for rows in ledgers:
            trace = make_run()
            write_ledger(trace.folder, rows)
            runs.append(SimpleNamespace(folder=trace.folder, end=0))
        runner: Any = SimpleNamespace(
            plan=RunPlan(),
            pair=lambda *_: tuple(runs),
            recordings=SimpleNamespace(out=tmp_path),
        )
        text = Divergence(kind="printed", step=0, phase="setup", op="print")
        pair = with_clock_and_names_pinned(runner, *runs, text)
        return None if pair is None else pair.pinned

    return found


def test_a_number_that_a_name_happens_to_hold_is_no_seed_of_it(pinned):
    words = pinned([NAME, OF_NAME], [NAME, OF_NAME])
    assert all(what in words for what in (CLOCK, NAMES, USAGE))


def test_what_a_seed_that_differs_was_made_of_is_left(pinned):
    words = pinned([NAME, OF_NAME], [NAME, replace(OF_NAME, digest=6)])
    assert NAMES not in words
    assert CLOCK in words
    words = pinned([TIME, OF_NAME], [TIME, replace(OF_NAME, digest=6)])
    assert CLOCK not in words
    assert NAMES in words


def test_nothing_is_pinned_where_a_seed_comes_from_nowhere_known(pinned):
    assert pinned([SEED], [OTHER]) is None


def test_seeds_that_went_to_other_processes_are_the_same_ones(pinned):
    """Each task of a pool has its own seed, and the tasks go to whichever process is free."""
    first = [replace(SEED, digest=digest, order_free=digest) for digest in (30, 60)]
    second = [replace(SEED, digest=digest, order_free=digest) for digest in (50, 40)]
    assert CLOCK in pinned(first, second)
    assert pinned(first, [second[0], replace(second[1], order_free=41)]) is None
