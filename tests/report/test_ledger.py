"""Two ledgers' differences in the panel and in the verdict file."""

from __future__ import annotations

import io
import json
from dataclasses import replace

from samebits.compare.verdict import Verdict
from samebits.report.json import render_json
from samebits.report.ledger import LedgerLine
from samebits.report.ledger_text import print_ledger
from samebits.report.model import build_report
from samebits.report.text import render_text

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
    print_ledger([line, line, later, line], False, stream)
    assert stream.getvalue().count("run = uuid.uuid4()") == 3
    assert stream.getvalue().count("train.py:12") == 3
