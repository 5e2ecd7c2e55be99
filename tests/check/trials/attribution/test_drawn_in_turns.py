"""A generator that threads draw from in turns is told by the ledgers, without further runs."""

from __future__ import annotations

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.verdict import PLAIN_ARGUMENTS
from samebits.check.trials.attribution.drawn_in_turns import generator_drawn_in_turns


def shared(**changes):
    facts = {"detail": "numpy.random.default_rng", "amount": 4, "other_digest": 2}
    return entry("shared-generator", "draw", 11, **{**facts, **changes})


def told(*between, entries=(), **changes):
    found = divergence(**changes)
    return generator_drawn_in_turns(Evidence(found=found, entries=entries, between=between))


@pytest.mark.parametrize(
    "changes",
    [{}, {"data": False, "random": True}, {"data": False, "detail": PLAIN_ARGUMENTS}],
    ids=["data", "a draw", "arguments"],
)
def test_the_line_that_made_it_is_named(changes):
    cause = told(shared(), **changes)
    assert (cause.code, cause.file, cause.line) == ("thread-timing", "train.py", 11)
    assert cause.confidence == "likely"
    assert cause.evidence.startswith("4 threads drew from the generator of this line")


@pytest.mark.parametrize(
    ("made", "own"),
    [
        ("numpy.random.default_rng", "np.random.default_rng([seed, task])"),
        ("random.Random.seed", 'random.Random(f"{seed}-{task}")'),
        ("torch.Generator.manual_seed", "torch.Generator().manual_seed(seed + task)"),
    ],
)
def test_the_fix_speaks_of_its_kind(made, own):
    assert own in told(shared(detail=made)).fix


@pytest.mark.parametrize("changes", [{"other_digest": 1}, {"site": None}])
def test_the_same_turns_and_a_line_that_is_not_known_tell_nothing(changes):
    assert told(shared(**changes)) is None


def test_an_operation_on_equal_inputs_is_not_explained():
    assert told(shared(), data=False) is None


@pytest.mark.parametrize(
    "other",
    [
        entry("numpy", "draw", 3, seeded=0),
        entry("numpy", "seed", 3, seeded=1, digest=5, other_digest=6),
    ],
    ids=["unseeded", "seeded otherwise"],
)
def test_what_nobody_seeded_or_somebody_seeded_otherwise_comes_first(other):
    assert told(shared(), entries=[other]) is None


def test_other_notes_between_threads_tell_nothing():
    assert told(entry("readiness", "read", 11, other_digest=2)) is None
