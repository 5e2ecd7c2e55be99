"""The ledger on the page: the line to blame first, workers together, nothing cut in silence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.check.conftest import RunMaker

from samebits.check.diff.divergence import compare_traces
from samebits.check.report.page.content import page_content
from samebits.check.report.page.drawn import MOST_LEDGER_ROWS, drawn
from samebits.check.report.page.render import render
from samebits.check.trace.ledger import write_ledger
from samebits.check.trace.rows import LedgerRow, Site

LOADER = LedgerRow(
    source="python",
    event="seed",
    detail="torch.utils.data.dataloader.DataLoader.__iter__",
    site=Site("/home/a/train.py", 10, "main", ""),
    seeded=1,
)
WORKERS = [replace(LOADER, process=n + 1, worker=n) for n in range(3)]
PID = LedgerRow(source="pid", event="read", detail="os.getpid", site=LOADER.site, digest=1)
ELSEWHERE = replace(PID, site=Site("/home/a/train.py", 3, "main", ""))


@pytest.fixture
def record(tmp_path):
    """Makes run folders, row by row."""
    return RunMaker(tmp_path)


@pytest.fixture
def runs(record):
    """Two runs with these ledgers, which differ in their only operation, at train.py:10."""

    def made(a, b, **facts):
        traces = []
        for number, rows in enumerate((a, b), start=1):
            trace = record([{"outputs": number}], **facts)
            write_ledger(trace.folder, rows)
            traces.append(type(trace).open(trace.folder))
        return traces

    return made


def table_of(a, b):
    return drawn([("the script", a, b)], {("train.py", 10)})


def test_what_the_blamed_line_reads_comes_first(runs):
    rows = [ELSEWHERE, *WORKERS, PID]
    other = [replace(ELSEWHERE, digest=2), *WORKERS, replace(PID, digest=2)]
    found = table_of(*runs(rows, other)).rows
    assert [(row.detail, row.place.rpartition(":")[2], row.blamed) for row in found[:2]] == [
        ("os.getpid", "10", True),
        ("os.getpid", "3", False),
    ]
    assert found[0].state == "other values"


def test_what_agrees_on_the_blamed_line_is_not_blamed(runs):
    assert [row.blamed for row in table_of(*runs([PID], [PID])).rows] == [False]


def test_workers_that_did_one_thing_share_a_row(runs):
    odd = [*WORKERS[:2], replace(WORKERS[2], digest=9)]
    assert [row.who for row in table_of(*runs(WORKERS, WORKERS)).rows] == ["3 loader workers"]
    found = table_of(*runs(WORKERS, odd)).rows
    assert sorted((row.who, row.state) for row in found) == [
        ("2 loader workers", ""),
        ("loader worker 2", "differs"),
    ]


def test_a_table_that_is_cut_says_so(runs):
    rows = [replace(PID, source="environment", detail=f"NAME_{n}") for n in range(230)]
    a, b = runs(rows, rows)
    found = table_of(a, b)
    assert (len(found.rows), found.total) == (MOST_LEDGER_ROWS, 230)
    page = render(page_content(compare_traces(a, b)))
    assert "the first 200 of 230 rows" in page
    assert "samebits ledger RUN" in page


def test_what_came_after_a_stop_is_not_compared(record):
    stopped = {"code": 0, "signal": None, "reason": "stopped-at-step"}
    a, b = record([{}] * 3), record([{}] * 2, exit=stopped)
    write_ledger(a.folder, [replace(LOADER, detail="random.seed", calls=3)])
    write_ledger(b.folder, [replace(LOADER, detail="random.seed", calls=2)])
    found = table_of(*(type(trace).open(trace.folder) for trace in (a, b)))
    assert [row.state for row in found.rows] == ["not compared"]
