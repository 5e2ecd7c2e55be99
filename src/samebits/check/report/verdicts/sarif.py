"""A verdict as SARIF 2.1.0: each cause, and each finding, is a result at its line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TextIO

from samebits.check.causes import CAUSES
from samebits.check.diff.verdict import Verdict
from samebits.check.report.model import build_report, summary_line
from samebits.check.report.output_stream import write_text
from samebits.check.report.printable import printable_text
from samebits.check.report.sarif_log import file_uri, sarif_log
from samebits.check.report.source import short_path

_FINDINGS = {
    "replicas-disagree": "Ranks that should hold equal values do not.",
    "identical-randomness": "Ranks or workers draw the same random numbers.",
    "duplicate-data": "Ranks read the same samples, or an epoch repeats its order.",
    "missing-data": "Samples are left out of an epoch.",
}
_SCRIPT_FAILED = "script-failed"
_NOT_COMPARED = "not-compared"


def show(verdict: Verdict, stream: TextIO) -> None:
    """Print the log."""
    write_text(render(verdict), stream)


def render(verdict: Verdict) -> str:
    """A verdict as one log; one that is the same, without findings, has no results."""
    results = list(_results(verdict))
    used = sorted({result["ruleId"] for result in results})
    for result in results:
        result["ruleIndex"] = used.index(result["ruleId"])
    return sarif_log([_rule(code) for code in used], results)


def _results(verdict: Verdict) -> Iterator[dict[str, Any]]:
    divergence = verdict.first_divergence
    for cause in verdict.causes:
        place = (cause.file, cause.line)
        if place[0] is None and divergence is not None:
            place = (divergence.file, divergence.line)
        level = "error" if verdict.verdict == "different" else "warning"
        text = [cause.evidence, f"Fix: {cause.fix}" if cause.fix else ""]
        yield _result(cause.code, level, " ".join(filter(None, text)), *place)
    if verdict.verdict == "failed":
        yield _failed(verdict)
    elif verdict.verdict == "different" and not verdict.causes:
        file, line = (None, None) if divergence is None else (divergence.file, divergence.line)
        yield _result("unknown", "error", summary_line(build_report(verdict)), file, line)
    for finding in verdict.findings:
        text = [finding.detail, finding.evidence, finding.fix]
        yield _result(finding.code, "warning", " ".join(text), finding.file, finding.line)
    for one in verdict.not_compared:
        yield _result(_NOT_COMPARED, "note", f"{one.name}: {one.why}", None, None)


def _failed(verdict: Verdict) -> dict[str, Any]:
    """The end of a script that failed: where it was raised, not where runs had diverged before."""
    text = summary_line(build_report(verdict))
    failure = verdict.failure
    if failure is None:
        return _result(_SCRIPT_FAILED, "error", text, None, None)
    raised = f"{failure.error}: {failure.message}" if failure.message else failure.error
    return _result(_SCRIPT_FAILED, "error", f"{text}: {raised}", failure.file, failure.line)


def _result(code: str, level: str, text: str, file: str | None, line: int | None) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": code,
        "level": level,
        "message": {"text": printable_text(text) or code},
    }
    if file:
        physical: dict[str, Any] = {"artifactLocation": {"uri": file_uri(short_path(file))}}
        if line is not None and line > 0:
            physical["region"] = {"startLine": line}
        result["locations"] = [{"physicalLocation": physical}]
    return result


def _rule(code: str) -> dict[str, Any]:
    known = next((cause for cause in CAUSES if cause.code == code), None)
    rule: dict[str, Any] = {"id": code}
    if known is not None:
        rule["shortDescription"] = {"text": known.meaning}
        rule["help"] = {"text": known.look}
    elif code in _FINDINGS:
        rule["shortDescription"] = {"text": _FINDINGS[code]}
    elif code == _SCRIPT_FAILED:
        rule["shortDescription"] = {"text": "The script failed in the same way in every run."}
    else:
        rule["shortDescription"] = {"text": "Something that may differ was not compared."}
    return rule
