from __future__ import annotations

import pytest

from samebits.check.diff.verdict import PLAIN_ARGUMENTS, UNEXPLAINED_INPUTS, NotCompared
from samebits.check.report.model import build_report, exit_text, summary_line
from samebits.check.report.text import render_text


@pytest.mark.parametrize(
    ("runs", "headline"),
    [
        ([{}, {}], "both runs gave the same bits in every operation"),
        ([{}, {}, {}], "all 3 runs gave the same bits in every operation"),
        ([{"level": "step"}] * 2, "both runs gave the same bits in every step"),
        ([{"level": "module"}, {}], "both runs gave the same bits in every module"),
        (
            [{"level": "auto"}] * 2,
            "both runs gave the same bits in every operation up to the first step and in every "
            "step after it",
        ),
        ([{"level": "auto", "steps": 0}] * 2, "both runs gave the same bits in every operation"),
        ([{"ops": 0}] * 2, "both runs gave the same bits in every step"),
        ([{"ops": 0, "steps": 0}] * 2, "both runs gave the same bits in all their output"),
    ],
)
def test_same_claims_no_more_than_was_compared(make_verdict, make_run, runs, headline):
    verdict = make_verdict("same", runs=tuple(make_run(**changes) for changes in runs))
    assert build_report(verdict).headline == headline


def test_equal_steps_and_other_printed_numbers_are_no_other_bits(
    make_verdict, make_divergence, make_cause
):
    found = make_divergence(kind="printed", op="print", detail="printed line 5 differs")
    verdict = make_verdict(first_divergence=found, causes=(make_cause(code="resume-state"),))
    assert build_report(verdict).headline.startswith("the runs gave the same bits in every step")


def test_incomplete_names_what_was_not_compared_first(make_verdict):
    left_out = [
        NotCompared("process", f"the process started at train.py:{line} (mp.spawn)", "it computed")
        for line in (12, 12, 14, 16)
    ]
    report = build_report(
        make_verdict("incomplete", not_compared=tuple(left_out), first_divergence=None, causes=())
    )
    assert report.title == "INCOMPLETE"
    assert report.headline == (
        "what was compared agrees; not compared: the process started at train.py:12 (mp.spawn), "
        "the process started at train.py:14 (mp.spawn) and 1 more"
    )
    assert summary_line(report) == f"incomplete: {report.headline}"
    panel = render_text(report)
    assert "Not compared:\n  the process started at train.py:12 (mp.spawn): it computed\n" in panel


@pytest.mark.parametrize(
    ("codes", "headline"),
    [
        ((7,), "the script failed on its own (exit code 7)"),
        ((0, -9), "the script failed on its own (killed by SIGKILL)"),
        ((None,), "the script did not run to its end"),
    ],
)
def test_failed_names_the_exit_code(make_verdict, make_run, codes, headline):
    runs = tuple(make_run(exit_code=code) for code in codes)
    assert build_report(make_verdict("failed", runs=runs)).headline == headline


@pytest.mark.parametrize(
    ("code", "text"), [(0, "0"), (3, "3"), (-11, "SIGSEGV"), (-250, "signal 250"), (None, "?")]
)
def test_exit_codes_read_as_a_person_reads_them(code, text):
    assert exit_text(code) == text


def test_a_run_that_was_cut_says_so(make_verdict, make_run):
    runs = (make_run(complete=False, exit_code=-9), make_run(seconds=float("nan")))
    rows = build_report(make_verdict("same", runs=runs)).runs
    assert [row.exit for row in rows] == ["SIGKILL (cut)", "0"]
    assert [row.seconds for row in rows] == ["4.1", "?"]


def test_the_same_line_is_quoted_once(script, make_verdict):
    report = build_report(make_verdict())
    assert report.divergence.place.quote.line == 5
    assert report.causes[0].place.quote is None
    assert report.causes[0].place.text == "train.py:5"


def test_a_cause_elsewhere_is_quoted_as_well(script, make_verdict, make_cause):
    report = build_report(make_verdict(causes=(make_cause(line=7),)))
    assert report.causes[0].place.quote.line == 7


def test_a_divergence_without_a_line_names_no_place(make_verdict, make_divergence):
    bare = make_divergence(
        file=None, line=None, function=None, module="", signature="", max_abs=None, max_ulp=None
    )
    view = build_report(make_verdict(first_divergence=bare, causes=())).divergence
    assert view.place.text == ""
    assert view.facts == ("step 0", "before training")
    assert view.what == ("a random operation drew different numbers",)


def test_data_from_outside_is_not_blamed_on_the_operation(make_verdict, make_divergence):
    view = build_report(make_verdict(first_divergence=make_divergence(data=True))).divergence
    assert "data" in view.what[0]


@pytest.mark.parametrize("detail", [PLAIN_ARGUMENTS, UNEXPLAINED_INPUTS])
def test_inputs_that_differ_are_not_called_the_same(make_verdict, make_divergence, detail):
    found = make_divergence(random=False, detail=detail)
    view = build_report(make_verdict(first_divergence=found)).divergence
    assert view.what[1] == detail
    assert "same inputs" not in view.what[0]
    assert view.what[0].endswith("different bits")


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        (
            "different",
            "different: aten.uniform_ at train.py:5 in build (unseeded-rng (torch-cpu), proved)",
        ),
        ("same", "same: both runs gave the same bits in every operation"),
    ],
)
def test_the_summary_is_one_line(script, make_verdict, verdict, line):
    assert summary_line(build_report(make_verdict(verdict))) == line


@pytest.mark.parametrize(
    ("detail", "what"),
    [
        (
            "run A does aten.slice.Tensor (float32[7, 12]) here, run B does aten.slice.Tensor "
            "(float32[8, 12])",
            "the same operation on other tensors",
        ),
        (
            "run A does aten.relu (float32[7]) here, run B does aten.mul.Tensor (float32[7])",
            "a different operation",
        ),
        (
            "both runs do aten.relu (float32[7]) next, run A at a.py:3 in f, run B at a.py:4 in f",
            "the same operation from a different place",
        ),
    ],
)
def test_what_each_run_does_is_told_apart(make_verdict, make_divergence, detail, what):
    found = make_divergence(kind="inserted", detail=detail, rows=(3, 3), random=False, data=False)
    report = build_report(make_verdict(first_divergence=found))
    assert report.divergence.what[0] == what


def test_of_a_cause_that_is_not_known_it_is_not_said_how_sure_it_is(make_verdict, make_cause):
    unknown = make_verdict(causes=(make_cause(code="unknown", detail="save", confidence="likely"),))
    assert "Cause: unknown (save)\n" in render_text(build_report(unknown))
    known = make_verdict(causes=(make_cause(code="clock", detail="", confidence="likely"),))
    assert "Cause: clock, likely\n" in render_text(build_report(known))
