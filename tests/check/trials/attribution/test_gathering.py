"""What the text of a script speaks for, where no ledger tells."""

from __future__ import annotations

import pytest

from samebits.check.trace.rows import LedgerRow
from samebits.check.trials.attribution.gathering import (
    _ALLOCATING,
    _SQL_RANDOM,
    _is_alarm_that_never_came,
    _seeded_sources,
)


@pytest.mark.parametrize(
    ("text", "draws"),
    [
        (b'db.execute("SELECT show FROM shows ORDER BY RANDOM() LIMIT ?")', True),
        (b'db.execute("select random(), hex(randomblob(4))")', True),
        (b"x = random.random(); rng.random()", False),
        (b"from random import random\nx = random()", False),
        (b'rows = db.execute("SELECT n FROM t"); x = random.random()', False),
    ],
)
def test_sql_that_draws_is_told_from_pythons_own_draws(text, draws):
    assert bool(_SQL_RANDOM.search(text)) == draws


def test_a_generator_that_was_seeded_from_the_system_is_not_seeded():
    made, drawn, seeded = (
        LedgerRow(
            source="torch-generator", event=event, detail="", site=None, process=0, seeded=is_
        )
        for event, is_ in (("construct", 1), ("draw", 1), ("seed", 0))
    )
    assert _seeded_sources([made, drawn]) == {"torch-generator"}
    assert _seeded_sources([made, seeded, drawn]) == set()


@pytest.mark.parametrize(
    ("event", "calls", "amount", "never"),
    [
        ("start", 1, 600_000, True),
        ("start", 40, 400_000, True),  # set anew in each step
        ("start", 1, 150, False),
        ("read", 1, 600_000, False),
    ],
)
def test_a_signal_after_a_longer_time_than_the_run_took_never_came(event, calls, amount, never):
    row = LedgerRow(
        source="clock",
        event=event,
        detail="signal.alarm",
        site=None,
        process=0,
        calls=calls,
        amount=amount,
    )
    assert _is_alarm_that_never_came(row, 3.5) == never


@pytest.mark.parametrize(
    ("text", "allocates"),
    [
        (b"rate = np.divide(fish, minutes / 10, where=counting)", True),
        (b"x = numpy.log(np.abs(values), where=values > 0)", True),
        (b"out = np.empty_like(fish)", True),
        (b"rows = table.where(x)\nnp.where(mask, a, b)", False),
        (b"df.mask(np.isnan(x), where=y)", False),
    ],
)
def test_a_call_of_numpy_that_leaves_places_as_they_were_hands_out_memory(text, allocates):
    assert bool(_ALLOCATING.search(text)) == allocates
