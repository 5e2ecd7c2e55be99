"""Workers of one loader that draw the same numbers, and those that may."""

from __future__ import annotations

import pytest
from tests.check.process_entries import process_entry

from samebits.check.agreement.findings import findings
from samebits.check.trace.ledger import write_ledger
from samebits.check.trace.process_folders import process_folder
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow, Site


def draw(worker, digest, *, loop=0, line=17, event="draw"):
    return LedgerRow(
        source="numpy-generator",
        event=event,
        detail="numpy.random.Generator.normal",
        site=Site("/a/train.py", line, "__getitem__", ""),
        process=1 + worker + 10 * loop,
        worker=worker,
        order_free=digest,
    )


@pytest.fixture
def found(make_run):
    """What is found in a run whose script has this ledger."""

    def find(*rows):
        made = make_run([{}])
        write_ledger(made.folder, rows)
        return findings(Trace.open(made.folder))

    return find


def test_workers_that_draw_the_same_are_told_with_the_line(found):
    (one,) = found(draw(0, 5), draw(1, 5), draw(2, 6))
    assert (one.code, one.file, one.line) == ("identical-randomness", "/a/train.py", 17)
    assert one.detail.startswith("loader workers 0 and 1 draw the same random numbers at numpy.")
    assert "anew" not in one.evidence
    (one,) = found(draw(0, 5), draw(1, 5), draw(2, 5))
    assert one.detail.startswith("loader workers 0 to 2 draw")


def test_workers_that_draw_others_are_no_finding(found):
    assert found(draw(0, 5), draw(1, 6)) == ()
    assert found(draw(0, 0), draw(1, 0)) == ()  # too few to tell
    assert found(draw(0, 5, event="seed"), draw(1, 5, event="seed")) == ()
    assert found(draw(0, 5, line=1), draw(1, 5, line=2)) == ()


def test_a_worker_is_compared_with_those_of_its_own_loop(found):
    """The same samples in a second loop may well be given the same noise."""
    assert found(draw(0, 5), draw(1, 6), draw(0, 5, loop=1), draw(1, 6, loop=1)) == ()
    assert found(draw(0, 5), draw(1, 6), draw(0, 6, loop=1), draw(1, 5, loop=1)) == ()
    (one,) = found(draw(0, 5), draw(1, 5), draw(0, 5, loop=1), draw(1, 5, loop=1))
    assert "draw them again" in one.evidence


def test_several_lines_are_one_finding(found):
    (one,) = found(*(draw(worker, line, line=line) for line in (3, 4, 5) for worker in (0, 1)))
    assert one.line == 3
    assert "train.py:4, train.py:5" in one.evidence


def test_workers_of_a_rank_are_told_with_the_rank(make_run):
    made = make_run([{}], processes=[process_entry("0.1", rank=1)])
    own = make_run([{}], folder=process_folder(made.folder, "0.1"))
    write_ledger(own.folder, [draw(0, 5), draw(1, 5)])
    (one,) = findings(Trace.open(made.folder))
    assert one.process == "rank 1"
    assert one.detail.startswith("loader workers 0 and 1 of rank 1 draw")
