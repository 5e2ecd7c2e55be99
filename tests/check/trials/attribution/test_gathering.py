"""What the text of a script speaks for, where no ledger tells."""

from __future__ import annotations

import pytest

from samebits.check.trials.attribution.gathering import _SQL_RANDOM


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
