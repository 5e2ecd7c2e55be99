"""How variations are shown: a row each, and a headline that says that plain runs agree."""

from __future__ import annotations

import json

from samebits.check.diff.verdict import Divergence
from samebits.check.report.json import render_json
from samebits.check.report.model import build_report
from samebits.check.report.text import render_text


def entry(name, verdict, **more):
    return {
        "name": name,
        "verdict": verdict,
        "what": f"another {name}",
        "first_divergence": None,
        "meaning": "",
        "reason": "",
        "folder": "",
        **more,
    }


def diverged(file="train.py"):
    return {
        **Divergence(kind="output", step=3, phase="forward", op="aten.sum").__dict__,
        "file": file,
        "line": 31,
    }


def test_each_variation_is_a_row(make_verdict):
    verdict = make_verdict(
        variations=(
            entry("isa", "same"),
            entry("threads", "different", first_divergence=diverged(), meaning="sums are cut"),
            entry("memory", "not-applicable", reason="only glibc can"),
        )
    )
    text = render_text(build_report(verdict), width=100)
    assert "  isa      same            another isa\n" in text
    assert "diverges at aten.sum, step 3, train.py:31; sums are cut\n" in text
    assert "  memory   not applicable  only glibc can\n" in text


def test_the_headline_says_that_plain_runs_agree(make_verdict):
    found = Divergence(kind="output", step=3, phase="forward", op="aten.sum")
    varied = entry("threads", "different", first_divergence=found.__dict__)
    verdict = make_verdict(verdict="different", first_divergence=found, variations=(varied,))
    assert verdict.agreed
    report = build_report(verdict)
    assert report.headline == (
        "both runs gave the same bits, but the result changed when varying: threads"
    )
    other = Divergence(kind="output", step=0, phase="setup", op="aten.rand")
    verdict = make_verdict(verdict="different", first_divergence=other, variations=(varied,))
    assert not verdict.agreed
    assert build_report(verdict).headline == "the two runs gave different bits"


def test_files_are_named_from_where_one_stands(make_verdict, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    varied = entry("isa", "different", first_divergence=diverged(str(tmp_path / "train.py")))
    content = json.loads(render_json(make_verdict(variations=(varied,))))
    assert content["variations"][0]["first_divergence"]["file"] == "train.py"


def test_hostile_text_is_shown_as_text(make_verdict):
    evil = "[red]\x1b[31m\n"
    varied = entry(evil, "failed", first_divergence={**diverged(evil), "op": evil}, reason=evil)
    text = render_text(build_report(make_verdict(variations=(varied,))))
    assert "\x1b" not in text
    assert "[red]" in text
