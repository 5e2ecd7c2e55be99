"""Nothing that a trace or a script holds can steer the terminal or leave its place in the panel."""

from __future__ import annotations

import dataclasses
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from samebits.check.causes import CODES
from samebits.check.diff.verdict import (
    Cause,
    Divergence,
    Failure,
    NotCompared,
    Observation,
    RunFinding,
    RunSummary,
    Verdict,
)
from samebits.check.report.json import render_json
from samebits.check.report.model import build_report, summary_line
from samebits.check.report.text import render_text

NASTY = "\x1b\x07\x9b\r\u202e\u2066\u200b\u2028\ud800\x00[]\\:/\t"
TEXT = st.text(max_size=40) | st.text(st.sampled_from(NASTY + "ab\n"), max_size=20)
NUMBER = st.none() | st.floats()

VERDICTS = st.builds(
    Verdict,
    verdict=st.sampled_from(["same", "different", "incomplete", "failed"]),
    runs=st.lists(
        st.builds(
            RunSummary,
            folder=TEXT,
            steps=st.integers(0, 2**62),
            ops=st.integers(0, 2**62),
            exit_code=st.none() | st.integers(-70, 300),
            seconds=st.floats(),
            complete=st.booleans(),
        ),
        max_size=3,
    ).map(tuple),
    not_compared=st.lists(
        st.builds(
            NotCompared, what=st.sampled_from(["process", "file", "run"]), name=TEXT, why=TEXT
        ),
        max_size=4,
    ).map(tuple),
    first_divergence=st.none()
    | st.builds(
        Divergence,
        kind=st.sampled_from(["output", "inserted", "step", "saved", "printed", "exit"]),
        step=st.integers(0, 9),
        phase=TEXT,
        op=TEXT,
        module=TEXT,
        file=st.none() | TEXT,
        line=st.none() | st.integers(-1, 10**12),
        function=st.none() | TEXT,
        signature=TEXT,
        max_abs=NUMBER,
        max_ulp=st.none() | st.integers(0, 2**64),
        detail=TEXT,
        random=st.booleans(),
        data=st.booleans(),
    ),
    causes=st.lists(
        st.builds(
            Cause,
            code=st.sampled_from(CODES),
            detail=TEXT,
            file=st.none() | TEXT,
            line=st.none() | st.integers(1, 99),
            evidence=TEXT,
            fix=TEXT,
            confidence=st.sampled_from(["proved", "likely"]),
        ),
        max_size=2,
    ).map(tuple),
    failure=st.none()
    | st.builds(
        Failure,
        error=TEXT,
        message=TEXT,
        file=st.none() | TEXT,
        line=st.none() | st.integers(1, 99),
    ),
    minimal_controls=st.lists(TEXT, max_size=2).map(tuple),
    observations=st.lists(
        st.builds(
            Observation,
            runs=st.tuples(TEXT, TEXT),
            pinned=st.lists(TEXT, max_size=2).map(tuple),
            outcome=st.sampled_from(["agree", "diverge", "unusable"]),
            op=TEXT,
            file=st.none() | TEXT,
            line=st.none() | st.integers(1, 99),
        ),
        max_size=2,
    ).map(tuple),
    ledger=st.lists(
        st.fixed_dictionaries(
            {
                "what": TEXT,
                "detail": TEXT,
                "file": st.none() | TEXT,
                "line": st.none() | st.integers(1, 99),
            }
        ),
        max_size=8,
    ).map(tuple),
    notes=st.lists(TEXT, max_size=3).map(tuple),
)


@settings(deadline=None, derandomize=True, max_examples=200)
@given(verdict=VERDICTS, width=st.integers(20, 120))
def test_the_panel_holds_no_character_that_is_not_plainly_visible(verdict, width):
    panel = render_text(build_report(verdict), width=width)
    assert all(line.isprintable() for line in panel.split("\n"))
    assert summary_line(build_report(verdict)).isprintable()


@settings(deadline=None, derandomize=True, max_examples=200)
@given(verdict=VERDICTS)
def test_the_verdict_file_is_strict_ascii_json(verdict):
    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    text = render_json(verdict)
    assert text.isascii()
    assert json.loads(text, parse_constant=refuse)["verdict"] == verdict.verdict


def test_markup_stays_text(make_verdict, make_divergence, make_cause):
    markup = "[red]fc[/red] [link=http://x]y[/link] :boom: <b>"
    verdict = make_verdict(
        first_divergence=make_divergence(op=markup, module=markup, detail=markup),
        causes=(make_cause(detail=markup, fix=markup),),
        not_compared=(NotCompared("file", markup, markup),),
        findings=(
            RunFinding(
                code="replicas-disagree",
                detail=markup,
                process=markup,
                file=None,
                line=None,
                evidence=markup,
                fix=markup,
            ),
        ),
        notes=(markup,),
    )
    assert render_text(build_report(verdict), width=200).count(markup) == 11


def test_every_field_of_a_verdict_is_drawn_on(make_verdict):
    """A field added to the verdict must be thought of here before it reaches a terminal."""
    assert {field.name for field in dataclasses.fields(Verdict)} == {
        "verdict",
        "runs",
        "first_divergence",
        "causes",
        "closer",
        "compared",
        "explanation",
        "failure",
        "variations",
        "minimal_controls",
        "under_run",
        "under_controls_whole",
        "overwritten_draws",
        "findings",
        "cuda_outlook",
        "ledger",
        "observations",
        "not_compared",
        "ignored_output",
        "notes",
    }
