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
from samebits.check.trials.pinned_pair import PinnedOutcome

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
STAMP = "0203-040506"
"""When the runs begin that are made up here, in 2026."""
CLOCK, NAMES, USAGE = "the clock", "names from uuid", "readings of memory"


@pytest.fixture
def pinned(make_run, tmp_path):
    """What is pinned, in words: pinned(rows of run 1, rows of run 2); None for nothing.

    `pinned.pair` are the runs, and `pinned.made` is how many were made besides two.
    """

    def found(*ledgers, said=()):
        """`said`: What run 1 printed, run 2, and the pinned runs one after another."""
        texts = iter([*said, *[said[-1] if said else ""] * 12])

        def run(rows=()):
            begun = f"2026-{STAMP[:2]}-{STAMP[2:4]}T{STAMP[5:7]}:{STAMP[7:9]}:{STAMP[9:]}+00:00"
            trace = make_run([{}], printed=f"{next(texts)}\n", created=begun)
            write_ledger(trace.folder, rows)
            return SimpleNamespace(folder=trace.folder, end=0, seconds=20.0)

        def once_more(*_):
            found.made += 1
            return run(ledgers[0])

        runs: list[Any] = [run(rows) for rows in ledgers]
        found.made, found.plans = 0, []
        runner: Any = SimpleNamespace(
            plan=RunPlan(),
            pair=lambda *how: found.plans.extend(how[2]) or (run(ledgers[0]), run(ledgers[0])),
            run=once_more,
            recordings=SimpleNamespace(out=tmp_path, series_of_names=3),
        )
        text = Divergence(kind="printed", step=0, phase="setup", op="print")
        pair = with_clock_and_names_pinned(runner, *runs, text)
        found.pair = pair
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


def test_what_waits_for_a_clock_that_stands_still_is_ended(pinned):
    pinned([TIME], [TIME])
    assert [plan.timeout for plan in pinned.plans] == [200.0, 200.0]


DRAWN = LedgerRow(
    source="python", event="draw", detail="random.randint", site=LINE, seeded=0, calls=3
)
CHOSEN = replace(DRAWN, detail="random.choice", calls=1)


@pytest.mark.parametrize(
    ("rows", "said", "names"),
    [
        ([DRAWN], ("run amber-7345", "run copal-2210"), True),
        ([DRAWN], ("amber-7345", "copal-2210"), False),
        ([DRAWN], ("run amber-7345\n0.5", "run copal-2210\n0.6"), False),
        ([replace(DRAWN, calls=17)], ("run amber-7345", "run copal-2210"), False),
        ([replace(DRAWN, detail="random.random")], ("run amber-7345", "run copal-2210"), False),
        ([CHOSEN], ("run amber-7345", "run copal-2210"), False),
        ([DRAWN], ("run amber-7345", "run copal-2048"), False),
        ([CHOSEN], (f"in out/weld-{STAMP}", f"in out/woad-{STAMP}"), True),
        ([CHOSEN], ("in out/weld-1128-010341", "in out/woad-1128-010355"), False),
        ([CHOSEN], (f"woad-{STAMP}: 0.5", f"weld-{STAMP}: 0.6"), False),
        ([DRAWN, replace(DRAWN, process=1)], ("run amber-7345", "run copal-2210"), False),
        ([replace(DRAWN, seeded=1)], ("run amber-7345", "run copal-2210"), False),
    ],
)
def test_what_a_name_is_drawn_with_is_pinned_where_nothing_else_differs(pinned, rows, said, names):
    words = pinned(rows, rows, said=said)
    assert ("what train.py:10 draws without a seed" in words) == names


CHANCE = [replace(DRAWN, detail="random.random")]


@pytest.mark.parametrize(
    ("rows", "said", "more", "result"),
    [
        ([], ("0.5", "0.6", "0.7", "1.4"), 0, False),
        ([], ("0.5", "0.6", "0.7", "0.9", "0.8", "0.7", "0.7"), 3, True),
        # Where there are names, a run with the clock alone at another pace tells them apart.
        ([NAME], ("0.5", "0.6", "0.7", "0.9", "0.9", "0.8", "0.7", "0.7"), 4, True),
        # Counted down from a minute.
        ([], ("59.1", "59.2", "59.990", "59.980", "59.980", "59.390", "58.790"), 3, False),
        # In whole seconds it is none, until the clock goes fast enough.
        ([], ("1", "2", "0", "0", "54", "108"), 2, False),
        ([], ("5 late", "6 late", "0 late", "0 late", "9 late", "9 late"), 2, True),
        # What differs by itself alone is neither a time nor a name.
        ([], ("0.5", "0.6", "0.7", "0.7"), 0, True),
        ([], ("A", "B", "A", "A"), 0, True),
        ([], ("x\nA", "x\nB", "x\nC", "x\nC"), 0, True),
        # Something is drawn without a seed: two runs that are made alike may tell at once. They
        # may agree by luck as well, and eleven do not.
        (CHANCE, ("A", "B", "A", "B"), 0, False),
        (CHANCE, ("A", "B", "A", "A", "A", *["A"] * 8), 9, True),
        (CHANCE, ("A", "B", "A", "A", "A", "B"), 2, True),
        # A name is one by itself, too; what the clock moves is none, whatever it looks like.
        ([NAME], ("run a-1", "run b-2", "run c-3", "run d-4", "run c-3"), 9, False),
        ([NAME], ("3/5", "4/5", "4/5", "2/5", "1/5", "4/5"), 2, True),
        (
            [NAME],
            ("run a-1", "run b-2", "run c-3", *["run d-4"] * 4, "run c-3"),
            4,
            True,
        ),
    ],
)
def test_what_moves_by_the_clock_or_by_names_is_told_from_a_result(
    pinned, rows, said, more, result
):
    assert pinned(rows, rows, said=said) is not None
    assert (pinned.made, pinned.pair.outcome is PinnedOutcome.RESULT) == (more, result)


def test_nothing_is_pinned_where_a_seed_comes_from_nowhere_known(pinned):
    assert pinned([SEED], [OTHER]) is None


def test_seeds_that_went_to_other_processes_are_the_same_ones(pinned):
    """Each task of a pool has its own seed, and the tasks go to whichever process is free."""
    first = [replace(SEED, digest=digest, order_free=digest) for digest in (30, 60)]
    second = [replace(SEED, digest=digest, order_free=digest) for digest in (50, 40)]
    assert CLOCK in pinned(first, second)
    assert pinned(first, [second[0], replace(second[1], order_free=41)]) is None
