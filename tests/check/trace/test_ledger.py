"""ledger.arrow: what is written is read, and damage is an error."""

from __future__ import annotations

import dataclasses

import pytest

from samebits.check.trace.ledger import write_ledger
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow, Site
from samebits.check.trace.schema import LEDGER_FILE, MANIFEST_FILE, SEALS_FILE
from samebits.check.trace.writer import TraceWriter
from samebits.errors import TraceError

ROWS = [
    LedgerRow(
        source="torch-cpu",
        event="draw",
        detail="torch.rand",
        site=Site("train.py", 12, "build", ""),
        first_row=7,
        first_step=1,
        calls=2**40,
        amount=2**63,
        seeded=0,
        digest=2**64 - 1,
        order_free=1,
    ),
    LedgerRow(source="worker", event="start", detail="\udc80", site=None, process=2, worker=1),
    LedgerRow(source="python", event="seed", detail="é", site=None, origin=0),
]


@pytest.fixture
def run(tmp_path):
    """A complete run folder without rows, and its manifest."""
    writer = TraceWriter(tmp_path / "run", Manifest())
    writer.close()
    return tmp_path / "run", writer.manifest


def complete(run, rows=ROWS):
    folder, manifest = run
    claim = write_ledger(folder, rows)
    seals = {**manifest.seals, LEDGER_FILE: claim}
    manifest.replaced({"seals": seals}).write(folder / MANIFEST_FILE)
    return folder


def test_rows_come_back_as_they_were(run):
    rows = Trace.open(complete(run)).ledger()
    assert rows == [ROWS[0], dataclasses.replace(ROWS[1], detail="\\udc80"), ROWS[2]]


@pytest.mark.parametrize("count", [0, 1, 70_000])
def test_any_number_of_rows(run, count):
    rows = [dataclasses.replace(ROWS[0], calls=number) for number in range(count)]
    assert Trace.open(complete(run, rows)).ledger() == rows


def test_a_run_without_a_ledger_has_an_empty_one(run):
    assert Trace.open(run[0]).ledger() == []


def test_a_ledger_is_written_once(run):
    folder = complete(run)
    with pytest.raises(TraceError, match=r"ledger\.arrow"):
        write_ledger(folder, ROWS)


@pytest.mark.parametrize("place", range(0, 1200, 60))
def test_damage_is_found(run, place):
    path = complete(run) / LEDGER_FILE
    content = bytearray(path.read_bytes())
    content[place % len(content)] ^= 1
    path.write_bytes(content)
    with pytest.raises(TraceError, match="not what the run wrote"):
        Trace.open(run[0]).ledger()


def test_a_ledger_that_is_gone_is_missed(run):
    (complete(run) / LEDGER_FILE).unlink()
    with pytest.raises(TraceError):
        Trace.open(run[0]).ledger()


def test_seals_that_are_cut_are_missed(run):
    path = complete(run) / SEALS_FILE
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith(LEDGER_FILE)))
    with pytest.raises(TraceError, match="does not vouch"):
        Trace.open(run[0])


def test_half_a_line_of_a_killed_run_does_not_spoil_the_seals(tmp_path):
    TraceWriter(tmp_path / "run", Manifest())
    seals = tmp_path / "run" / SEALS_FILE
    with seals.open("ab") as file:
        file.write(b"ops.arrow 12")
    write_ledger(tmp_path / "run", ROWS[:1])
    assert Trace.open(tmp_path / "run").ledger() == ROWS[:1]
    assert b"ops.arrow" not in seals.read_bytes()


@pytest.mark.parametrize("change", [{"origin": 3}, {"origin": -2}, {"seeded": 3}])
def test_rows_that_make_no_sense_are_refused(run, change):
    folder = complete(run, [dataclasses.replace(ROWS[2], **change)])
    with pytest.raises(TraceError, match="makes no sense"):
        Trace.open(folder).ledger()
