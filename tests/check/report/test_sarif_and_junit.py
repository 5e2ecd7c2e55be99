"""Verdicts for code scanning and for test reports: read back by their own rules."""

from __future__ import annotations

import io
import json
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from tests.check.report.test_hostile import VERDICTS

from samebits.check.diff.verdict import Failure, NotCompared, RunFinding
from samebits.check.report.verdicts import VerdictFormat, show
from samebits.check.report.verdicts import junit as junit_format
from samebits.check.report.verdicts import sarif as sarif_format


def sarif(verdict):
    stream = io.StringIO()
    show(verdict, VerdictFormat.SARIF, stream)
    (run,) = json.loads(stream.getvalue())["runs"]
    return run


def junit(verdict):
    stream = io.StringIO()
    show(verdict, VerdictFormat.JUNIT, stream)
    return ElementTree.fromstring(stream.getvalue())


@pytest.fixture
def different(make_verdict, make_divergence, make_cause):
    return make_verdict(
        verdict="different", first_divergence=make_divergence(), causes=(make_cause(),)
    )


def test_a_cause_is_a_result_at_its_line(different, script):
    run = sarif(different)
    (result,) = run["results"]
    cause = different.causes[0]
    assert result["ruleId"] == cause.code
    assert result["level"] == "error"
    assert cause.evidence in result["message"]["text"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "train.py"
    assert place["region"]["startLine"] == cause.line
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == cause.code
    assert rule["shortDescription"]["text"]


def test_what_is_the_same_has_no_results(make_verdict):
    assert sarif(make_verdict(verdict="same"))["results"] == []


def test_findings_and_what_was_not_compared_are_results(make_verdict):
    finding = RunFinding(
        code="duplicate-data", detail="d", process="rank 1", file="a b.py", line=3, evidence="e",
        fix="f",
    )  # fmt: skip
    verdict = make_verdict(
        verdict="incomplete", findings=(finding,), not_compared=(NotCompared("file", "w.bin", "y"),)
    )
    first, second = sarif(verdict)["results"]
    assert (first["level"], second["level"]) == ("warning", "note")
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b.py"
    assert "locations" not in second


def test_a_difference_without_a_cause_is_still_a_result(make_verdict, make_divergence):
    verdict = make_verdict(verdict="different", first_divergence=make_divergence(), causes=())
    (result,) = sarif(verdict)["results"]
    assert result["ruleId"] == "unknown"


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [("same", None), ("different", "failure"), ("failed", "error"), ("incomplete", "skipped")],
)
def test_the_runs_are_a_test_case(make_verdict, outcome, kind):
    suite = junit(make_verdict(verdict=outcome))
    (case,) = suite.findall("testcase")
    assert [child.tag for child in case] == ([] if kind is None else [kind])
    counts = {name: int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")}
    assert counts["tests"] == 1
    assert sum(counts.values()) == (1 if kind is None else 2)


def test_each_variation_is_a_test_case(make_verdict, make_divergence):
    rows = ({"name": "threads", "verdict": "different"}, {"name": "isa", "verdict": "same"})
    verdict = make_verdict(
        verdict="different",
        first_divergence=None,
        variations=tuple({**row, "what": "w", "first_divergence": None} for row in rows),
    )
    cases = {case.get("name"): [c.tag for c in case] for case in junit(verdict)}
    assert cases == {"runs agree": [], "varying threads": ["failure"], "varying isa": []}


@settings(deadline=None, derandomize=True, max_examples=60)
@given(verdict=VERDICTS)
def test_any_verdict_makes_valid_documents(verdict):
    log = json.loads(sarif_format.render(verdict))
    assert all(result["message"]["text"] for result in log["runs"][0]["results"])
    assert ElementTree.fromstring(junit_format.render(verdict)).tag == "testsuite"


def test_a_script_that_failed_has_the_line_that_raised(make_verdict, make_divergence):
    failure = Failure(error="RuntimeError", message="boom", file="train.py", line=4)
    diverged = make_divergence(file="other.py", line=9)
    for found in (None, diverged):
        verdict = make_verdict(verdict="failed", causes=(), first_divergence=found, failure=failure)
        (result,) = sarif(verdict)["results"]
        assert result["ruleId"] == "script-failed"
        assert "RuntimeError: boom" in result["message"]["text"]
        (place,) = result["locations"]
        assert place["physicalLocation"]["artifactLocation"]["uri"] == "train.py"
        assert place["physicalLocation"]["region"] == {"startLine": 4}


def test_a_failure_without_a_line_has_no_location(make_verdict):
    verdict = make_verdict(verdict="failed", causes=(), first_divergence=None)
    (result,) = sarif(verdict)["results"]
    assert (result["ruleId"], "locations" in result) == ("script-failed", False)
