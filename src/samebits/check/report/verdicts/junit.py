"""A verdict as JUnit's XML, which continuous integration shows among its test results.

The runs are one test case, and each variation is one. The form is the one that JUnit's Ant task
writes; it has no schema of its own that everybody follows.
"""

from __future__ import annotations

from typing import TextIO
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from samebits.check.diff.verdict import Verdict
from samebits.check.report.model import Report, build_report, summary_line
from samebits.check.report.output_stream import write_text
from samebits.check.report.text import render_text

_FAILURES = {"different": "failure", "failed": "error", "incomplete": "skipped"}
_VARIED = {"different": "failure", "failed": "error", "not-applicable": "skipped"}


def show(verdict: Verdict, stream: TextIO) -> None:
    """Print the document."""
    write_text(render(verdict), stream)


def render(verdict: Verdict) -> str:
    """A verdict as one test suite, ASCII only, with a final newline."""
    report = build_report(verdict)
    suite = Element("testsuite", name="samebits")
    seconds = sum(run.seconds for run in verdict.runs if run.seconds == run.seconds)
    outcome = _outcome(verdict, report)
    _case(suite, "runs agree", _FAILURES.get(outcome), summary_line(report), report, seconds)
    for row in report.variations:
        kind = _VARIED.get(row.verdict)
        _case(suite, f"varying {row.name}", kind, "; ".join(row.what), None, 0.0)
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    for plural, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(plural, str(sum(case.find(kind) is not None for case in cases)))
    indent(suite)
    text: str = tostring(suite, encoding="us-ascii", xml_declaration=True).decode("ascii")
    return text.replace("'", '"', 4) + "\n"


def _outcome(verdict: Verdict, report: Report) -> str:
    """What became of the plain runs, whatever a variation has shown."""
    if verdict.verdict == "different" and verdict.agreed and report.variations:
        return "same"
    return verdict.verdict


def _case(
    suite: Element,
    name: str,
    kind: str | None,
    message: str,
    report: Report | None,
    seconds: float,
) -> None:
    case = SubElement(suite, "testcase", classname="samebits.check", name=name)
    case.set("time", f"{seconds:.3f}")
    if kind is not None:
        result = SubElement(case, kind, message=message)
        if kind != "skipped":
            result.set("type", kind)
        if report is not None:
            result.text = render_text(report)
