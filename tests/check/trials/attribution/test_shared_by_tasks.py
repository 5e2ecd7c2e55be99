"""Whether all tasks of a worker draw from one generator."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.trials.attribution.shared_by_tasks import generator_of_all_tasks


def made(line=5, *, process=1, seeded=1, other_digest=1):
    pair = entry(
        "numpy-generator", "construct", line, seeded=seeded, digest=1, other_digest=other_digest
    )
    return replace(pair, row=replace(pair.row, process=process))


def drawn(amount, other, *, process=1, seeded=1):
    pair = entry("numpy-generator", "draw", 9, seeded=seeded, digest=0, other_digest=0)
    row = replace(pair.row, process=process, amount=amount)
    return replace(pair, row=row, other=replace(row, amount=other))


@pytest.mark.parametrize(
    ("entries", "line"),
    [
        ((made(), drawn(300, 200)), 5),
        ((made(process=2), drawn(300, 200)), 9),
        ((drawn(300, 200),), 9),
        ((made(), drawn(300, 300)), None),
        ((made(other_digest=2), drawn(300, 200)), None),
        ((made(seeded=0), drawn(300, 200)), None),
        ((drawn(300, 200, seeded=0),), None),
        ((drawn(300, 200, process=0),), None),
    ],
    ids=[
        "made in the worker",
        "made in another worker",
        "inherited",
        "equal shares",
        "a seed for each task",
        "no seed",
        "nothing seeded",
        "the script's own process",
    ],
)
def test_it_is_known_by_equal_seeds_and_unequal_draws(entries, line):
    place = generator_of_all_tasks(Evidence(found=divergence(), entries=entries))
    assert (None if place is None else place.line) == line
