"""Runs that draw other numbers: what the ledgers say of the generator's seed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from samebits.check.diff.divergence import compare_traces
from samebits.check.trace.ledger import write_ledger
from samebits.check.trace.rows import LedgerRow, Site
from samebits.check.trace.schema import Flag
from samebits.check.trials.manifest_causes import with_cause_from_manifests

SEEDING = Site("/project/seeding.py", 10, "seed_all", "")
OPTIONS = Site("/project/options.py", 6, "default_seed", "")
SEED = LedgerRow(
    source="torch-cpu", event="seed", detail="torch.manual_seed", site=SEEDING, seeded=1, digest=5
)
ENTROPY = LedgerRow(source="urandom", event="draw", detail="os.urandom", site=OPTIONS, amount=4)
CLOCK = LedgerRow(source="clock", event="read", detail="time.time", site=OPTIONS)
PORT = LedgerRow(source="port", event="draw", detail="socket.bind", site=OPTIONS, amount=1)
FROM_FIRST = replace(SEED, origin=0)


@pytest.fixture
def cause(make_run):
    """The cause of other numbers: cause(rows of A, rows of B)."""

    def found(a, b, **manifest):
        traces = []
        for number, rows in enumerate((a, b), start=1):
            drawn = {"outputs": number, "flags": int(Flag.RANDOM), "op": "aten.rand"}
            facts = {name: values[number - 1] for name, values in manifest.items()}
            trace = make_run([drawn], **facts)
            write_ledger(trace.folder, rows)
            traces.append(type(trace).open(trace.folder))
        (one,) = with_cause_from_manifests(compare_traces(*traces), *traces).causes
        return one

    return found


def test_no_seed_that_differs_leaves_the_evident_cause(cause):
    for a, b in (([], []), ([SEED], [SEED]), ([SEED], []), ([], [SEED])):
        found = cause(a, b)
        assert (found.code, found.detail, found.line) == ("unseeded-rng", "torch-cpu", 10)
        assert "torch.manual_seed(0) before" in found.fix


@pytest.mark.parametrize(
    ("row", "code", "detail", "words"),
    [
        (ENTROPY, "entropy", "urandom", "with what os.urandom gave,"),
        (CLOCK, "clock", "time.time", "with what time.time gave,"),
        (PORT, "entropy", "port", "with a port that the system chose (socket.bind),"),
    ],
)
def test_the_source_of_the_seed_is_blamed(cause, row, code, detail, words):
    found = cause([row, FROM_FIRST], [row, replace(FROM_FIRST, digest=6)])
    assert (found.code, found.detail, found.confidence) == (code, detail, "likely")
    assert (found.file, found.line) == ("/project/options.py", 6)
    assert row.detail in found.evidence
    assert words in found.evidence
    assert "at seeding.py:10" in found.evidence


def test_a_seed_from_nowhere_known_names_the_line_that_seeds(cause):
    found = cause([SEED], [replace(SEED, digest=6)])
    assert (found.code, found.file, found.line) == ("unseeded-rng", "/project/seeding.py", 10)
    assert "a different value in each run" in found.evidence
    assert "same seed" in found.fix


def test_the_last_seed_of_the_generator_that_drew_counts(cause):
    other = replace(SEED, digest=6)
    again = replace(SEED, site=OPTIONS, first_row=0, first_step=0, digest=9)
    assert cause([SEED, again], [other, again]).line == 10
    numpy = replace(SEED, source="numpy")
    found = cause([SEED, numpy], [SEED, replace(numpy, digest=6)])
    assert "before this line" in found.fix
    late = replace(SEED, first_row=7)
    assert "before this line" in cause([late], [replace(late, digest=6)]).fix


def test_other_seeds_by_option_are_named(cause):
    row = replace(SEED, detail="samebits.training.control.seeding._seed_torch")
    seeds = ({"seed": 1}, {"seed": 2})
    found = cause([row], [replace(row, digest=6)], seeds=seeds)
    assert found.evidence == "torch-cpu was seeded with 1 in A and 2 in B, by --seed."
