"""Two ledgers' differences in the panel and in the verdict file."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest

from samebits.check.diff.verdict import Verdict
from samebits.check.report.console import drawn
from samebits.check.report.json import render_json
from samebits.check.report.ledger import LedgerLine
from samebits.check.report.ledger_text import _table, print_ledgers
from samebits.check.report.model import build_report
from samebits.check.report.text import render_text

ENTRY = {
    "source": "torch-cpu",
    "event": "draw",
    "detail": "torch.rand",
    "file": "evaluate.py",
    "line": 31,
    "process": 0,
    "worker": -1,
    "calls": (1, 2),
    "amount": (64, 128),
    "what": "run B drew 64 more numbers from torch-cpu",
}


def test_the_panel_names_the_line(make_run, make_divergence):
    verdict = Verdict(
        verdict="different",
        runs=(make_run(1), make_run(2)),
        first_divergence=make_divergence(),
        ledger=(ENTRY,),
    )
    text = render_text(build_report(verdict))
    assert "run B drew 64 more numbers from torch-cpu at evaluate.py:31 (torch.rand)" in text


def test_a_long_list_is_cut_and_stays_whole_in_the_file(make_run):
    entries = tuple({**ENTRY, "line": line, "detail": "\x1b[2J"} for line in range(1, 21))
    verdict = Verdict(verdict="different", runs=(make_run(1), make_run(2)), ledger=entries)
    report = build_report(verdict)
    assert len(report.ledger) == 7
    assert report.ledger[-1] == "and 14 more, in the verdict file"
    assert "\x1b" not in render_text(report)
    assert len(json.loads(render_json(verdict))["ledger"]) == 20


def test_what_one_line_of_code_did_is_quoted_once():
    line = LedgerLine(
        source="uuid",
        event="draw",
        detail="uuid.uuid4",
        place="train.py:12",
        code="run = uuid.uuid4()",
        calls="1",
        amount="16",
        seeded="",
        unseeded=False,
    )
    later = replace(line, place="train.py:13")
    stream = io.StringIO()
    print_ledgers({"": [line, line, later, line]}, False, stream)
    assert stream.getvalue().count("run = uuid.uuid4()") == 3
    assert stream.getvalue().count("train.py:12") == 3


@pytest.mark.parametrize("columns", [70, 80, 100])
def test_a_long_name_is_broken_after_a_dot(columns):
    name = "concurrent.futures.thread.ThreadPoolExecutor.submit"
    line = LedgerLine(
        source="numpy-generator",
        event="construct",
        detail=name,
        place="features.py:19",
        code="jobs = []",
        calls="102",
        amount="",
        seeded="yes",
        unseeded=False,
    )
    text = drawn(lambda console: console.print(_table([line])), width=columns)
    column = text.splitlines()[0].index("where")
    words = [row[column:] for row in text.splitlines()[1:]]
    assert words[0].split("  ")[0] == "features.py:19"
    assert words[-1] == "jobs = []"
    shown = words[1:-1]
    assert "".join(shown) == name
    assert all(part.endswith(".") for part in shown[:-1])
    assert all(len(row) <= columns for row in text.splitlines())
