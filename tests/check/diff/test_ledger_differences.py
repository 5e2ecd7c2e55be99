"""Where two ledgers diverge, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from samebits.check.diff.divergence import compare_traces
from samebits.check.diff.ledger_differences import ledger_differences
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.ledger import write_ledger
from samebits.check.trace.rows import LedgerRow, Site

EVALUATE = Site("evaluate.py", 31, "evaluate", "")
DRAW = LedgerRow(
    source="torch-cpu", event="draw", detail="torch.rand", site=EVALUATE, amount=64, seeded=1
)
SEED = LedgerRow(
    source="python", event="seed", detail="random.seed", site=EVALUATE, seeded=1, digest=5
)
LISTING = LedgerRow(
    source="listing", event="list", detail="os.listdir", site=EVALUATE, digest=5, order_free=9
)
CLOCK = LedgerRow(source="clock", event="read", detail="time.time", site=EVALUATE, digest=1)


@pytest.fixture
def part(make_run):
    """Differences of two ledgers: part(rows of A, rows of B)."""

    def differences(a, b, until=None):
        traces = [make_run(), make_run()]
        for trace, rows in zip(traces, (a, b), strict=True):
            write_ledger(trace.folder, rows)
        traces = [type(trace).open(trace.folder) for trace in traces]
        return ledger_differences(*traces, until)

    return differences


def test_equal_ledgers_do_not_part(part):
    rows = [DRAW, SEED, LISTING, CLOCK]
    assert part(rows, rows) == ()
    assert part([], []) == ()


def test_more_numbers_in_one_run(part):
    more = replace(DRAW, calls=2, amount=128)
    (found,) = part([DRAW], [more])
    assert found.what == "run B drew 64 more numbers from torch-cpu"
    assert (found.file, found.line) == ("evaluate.py", 31)
    assert (found.calls, found.amount) == ((1, 2), (64, 128))
    (found,) = part([more], [DRAW])
    assert found.what == "run A drew 64 more numbers from torch-cpu"
    (found,) = part([], [DRAW])
    assert found.what == "run B drew 64 numbers from torch-cpu"


@pytest.mark.parametrize(
    ("a", "b", "what"),
    [
        (SEED, replace(SEED, digest=6), "python was seeded with another value"),
        (
            replace(SEED, event="construct", calls=60),
            replace(SEED, event="construct", calls=60, digest=6),
            "python was seeded with different values",
        ),
        (
            replace(SEED, event="construct", calls=60, order_free=9),
            replace(SEED, event="construct", calls=60, order_free=9, digest=6),
            "python was seeded with the same values in a different order",
        ),
        (SEED, None, "only run A seeded python"),
        (LISTING, replace(LISTING, digest=6), "the entries came in a different order"),
        (LISTING, replace(LISTING, digest=6, order_free=8), "the entries differ"),
        (
            replace(DRAW, source="environment", event="read", detail="RUN", digest=1),
            replace(DRAW, source="environment", event="read", detail="RUN", digest=2),
            "the variable RUN has a different value",
        ),
        (
            replace(DRAW, source="file", event="read", detail="/a", digest=1),
            replace(DRAW, source="file", event="read", detail="/a", digest=2),
            "the file /a has different content",
        ),
        (
            replace(SEED, source="worker", event="start", worker=1),
            replace(SEED, source="worker", event="start", worker=1, digest=6),
            "worker 1 got different seeds",
        ),
        (
            replace(CLOCK, source="hash", detail="hash"),
            replace(CLOCK, source="hash", detail="hash", digest=2),
            "hash() gave different values",
        ),
        (CLOCK, replace(CLOCK, calls=2), "run B read the clock once more"),
        (CLOCK, replace(CLOCK, calls=4), "run B read the clock 3 times more"),
        (
            replace(DRAW, source="urandom", amount=8),
            replace(DRAW, source="urandom", amount=16),
            "run B drew 8 more bytes from urandom",
        ),
        (None, replace(DRAW, source="thread", event="start"), "only run B started a thread"),
        (
            replace(DRAW, worker=2, process=3),
            replace(DRAW, worker=2, process=3, amount=70),
            "run B drew 6 more numbers from torch-cpu in worker 2",
        ),
    ],
)
def test_sentences(part, a, b, what):
    (found,) = part([a] if a else [], [b] if b else [])
    assert found.what == what


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (CLOCK, replace(CLOCK, digest=2)),
        (replace(DRAW, source="urandom", digest=1), replace(DRAW, source="urandom", digest=2)),
        (replace(CLOCK, detail="tqdm.update"), replace(CLOCK, detail="tqdm.update", calls=9)),
        (
            replace(DRAW, source="python", seeded=0),
            replace(DRAW, source="python", seeded=0, calls=3, amount=70),
        ),
        (replace(DRAW, detail="import torch"), replace(DRAW, detail="import torch", amount=1)),
        (DRAW, replace(DRAW, site=Site("/elsewhere/evaluate.py", 31, "evaluate", ""))),
    ],
)
def test_what_never_repeats_is_no_difference(part, a, b):
    assert part([a], [b]) == ()


def test_what_comes_after_the_runs_have_parted_is_left_out(part):
    late = replace(DRAW, first_row=40, first_step=3)
    at = Divergence(kind="output", step=2, phase="forward", op="aten.add", rows=(30, 30))
    assert part([], [late], at) == ()
    assert len(part([], [replace(late, first_row=30)], at)) == 1
    assert part([], [late], replace(at, kind="step", rows=(None, None))) == ()
    assert len(part([], [late], replace(at, kind="step", step=3, rows=(None, None)))) == 1
    assert len(part([], [late], replace(at, kind="printed"))) == 1


def test_what_an_inserted_evaluation_draws_belongs_to_the_difference(part):
    at = Divergence(kind="inserted", step=3, phase="forward", op="aten.mm", rows=(None, 30))
    drawn = replace(DRAW, first_row=40, first_step=3)
    (found,) = part([], [drawn], at)
    assert found.what == "run B drew 64 numbers from torch-cpu"
    # What both runs do later, and what comes in later steps, is a consequence.
    assert part([drawn], [replace(drawn, amount=128)], at) == ()
    assert part([], [replace(drawn, first_step=4)], at) == ()


def test_what_the_other_run_does_later_is_no_difference(part):
    # Run B alone loads a checkpoint before both go into their loop.
    at = Divergence(kind="inserted", step=0, phase="setup", op="aten.copy_", rows=(None, 4))
    here, later = replace(DRAW, first_row=4), replace(DRAW, first_row=6)
    assert part([here], [later], at) == ()
    assert part([here], [replace(later, calls=3, amount=7)], at) == ()
    assert len(part([here], [], at)) == 1
    diverged = replace(at, kind="output", rows=(4, 4))
    assert part([here], [later], diverged) == ()
    assert len(part([here], [replace(later, amount=7)], diverged)) == 1


def test_differences_stand_in_the_order_in_which_they_happened(part):
    rows = [replace(DRAW, first_row=5), replace(SEED, first_row=2), replace(LISTING, first_row=9)]
    assert [found.event for found in part([], rows)] == ["seed", "draw", "list"]


def test_a_verdict_has_them(make_run):
    traces = [make_run(), make_run()]
    write_ledger(traces[1].folder, [DRAW])
    verdict = compare_traces(*(type(trace).open(trace.folder) for trace in traces))
    assert verdict.verdict == "same"
    assert verdict.to_json()["ledger"][0]["what"] == "run B drew 64 numbers from torch-cpu"


STOPPED = {"code": 0, "signal": None, "reason": "stopped-at-step"}


def of_a_run_that_ends_sooner(make_run, side, rows, ledgers):
    """What differs where one run has the first three operations of the other, and stops there."""
    traces = [make_run(rows), make_run(rows)]
    traces[side] = make_run(rows[:3], exit=STOPPED)
    for trace, ledger in zip(traces, ledgers, strict=True):
        write_ledger(trace.folder, ledger)
    return ledger_differences(*(type(trace).open(trace.folder) for trace in traces))


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(
    ("less", "more", "differs"),
    [
        (DRAW, replace(DRAW, calls=2, amount=128), False),  # what comes after the stop
        (replace(DRAW, calls=2, amount=128), DRAW, True),  # the shorter run did more
        (None, replace(DRAW, first_row=2), True),  # before the stop, and not in the shorter run
        (None, replace(DRAW, first_row=3), False),  # after it
        (None, replace(DRAW, first_row=0, first_step=1), False),
        (replace(SEED, digest=6), SEED, True),
    ],
)
def test_what_a_run_would_have_done_after_it_stopped_is_no_difference(
    make_run, side, less, more, differs
):
    ledgers = [[row] if row is not None else [] for row in (less, more)]
    rows = [{"outputs": n} for n in range(6)]
    found = of_a_run_that_ends_sooner(make_run, side, rows, ledgers if side == 0 else ledgers[::-1])
    assert bool(found) is differs


def test_a_run_that_was_killed_has_no_ledger_to_compare(make_run):
    whole, killed = make_run([{}] * 3), make_run([{}] * 3, cut=True)
    write_ledger(whole.folder, [DRAW])
    whole = type(whole).open(whole.folder)
    assert ledger_differences(whole, killed) == ledger_differences(killed, whole) == ()
