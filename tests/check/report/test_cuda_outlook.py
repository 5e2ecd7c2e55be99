from __future__ import annotations

import json

import pytest

from samebits.check.report.cuda_outlook import MAX_OPERATIONS, outlook_view
from samebits.check.report.json import render_json
from samebits.check.report.model import build_report
from samebits.check.report.text import render_text


def entry(op="aten.histc", status="raises", **changes):
    facts = {
        "op": op,
        "phase": "forward",
        "status": status,
        "file": "train.py",
        "line": 12,
        "instead": "torch.bucketize.",
        "count": 1,
    }
    return {**facts, **changes}


def test_nothing_is_said_of_an_empty_outlook(make_verdict):
    assert outlook_view(()) is None
    assert "CUDA" not in render_text(build_report(make_verdict("same")))


@pytest.mark.parametrize(
    ("entries", "headline", "switches"),
    [
        ([entry()], "1 operation raises an error", ""),
        ([entry(), entry("aten.put")], "2 operations raise an error", ""),
        ([entry(), entry(line=3)], "1 operation raises an error", ""),
        (
            [entry("aten.cumsum", "switches")],
            "no operations raise an error",
            "1 operation switches to a deterministic implementation: aten.cumsum",
        ),
        (
            [entry("aten.a", "switches"), entry("aten.b", "switches", line=3)],
            "no operations raise an error",
            "2 operations switch to a deterministic implementation: aten.a, aten.b",
        ),
    ],
)
def test_operations_are_counted_by_name(entries, headline, switches):
    view = outlook_view(entries)
    assert (view.headline, view.switches) == (headline, switches)


@pytest.mark.parametrize(
    ("entries", "places"),
    [
        ([entry(count=1200)], "train.py:12 (1,200 times)"),
        ([entry(), entry(phase="backward")], "train.py:12 (2 times)"),
        ([entry(line=None)], "train.py"),
        ([entry(file=None, line=None)], ""),
        (
            [entry(line=n) for n in range(1, 6)],
            "train.py:1, train.py:2, train.py:3, 2 more lines",
        ),
    ],
)
def test_places_are_few_and_each_is_named_once(entries, places):
    assert outlook_view(entries).rows[0].places == places


def test_a_long_outlook_is_cut_and_says_so():
    entries = [entry(f"aten.op{n}", status) for n in range(12) for status in ("raises", "switches")]
    view = outlook_view(entries)
    assert len(view.rows) == MAX_OPERATIONS
    assert view.more == "4 more: --json FILE lists them all"
    assert view.switches.endswith("aten.op7, ...")


def test_the_panel_shows_lines_and_replacements(make_verdict):
    verdict = make_verdict(
        "same", cuda_outlook=(entry(count=3), entry("aten.cumsum", "switches", line=14))
    )
    assert (
        "On CUDA, under deterministic algorithms: 1 operation raises an error\n"
        "  aten.histc  train.py:12 (3 times)\n"
        "    torch.bucketize.\n"
        "  1 operation switches to a deterministic implementation: aten.cumsum\n"
    ) in render_text(build_report(verdict))


def test_hostile_names_are_shown_as_they_are_spelled(make_verdict):
    hostile = "[red]x[/red]\x1b[2J\n"
    verdict = make_verdict("same", cuda_outlook=(entry(hostile, instead=hostile, file=hostile),))
    text = render_text(build_report(verdict))
    assert "\x1b" not in text
    assert "[red]x[/red]" in text


def test_the_verdict_file_has_every_entry(make_verdict, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    placed = entry(file=str(tmp_path / "train.py"))
    content = json.loads(render_json(make_verdict("same", cuda_outlook=(placed,))))
    assert content["cuda_outlook"] == [entry()]
