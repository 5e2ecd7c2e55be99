"""Findings as SARIF 2.1.0, for code scanning (OASIS Standard, 27 March 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from samebits.check.report.sarif_log import file_uri, sarif_log
from samebits.core.names import storable
from samebits.lint.finding import Finding
from samebits.lint.registry import all_rules
from samebits.lint.rule import Rule


def render(findings: Sequence[Finding], _files: int) -> str:
    """Findings as one SARIF log with one run, ASCII only, with a final newline.

    The rules that found something are described in the log; columns count Unicode code points.
    """
    used = sorted({finding.code for finding in findings})
    return sarif_log(
        [_rule(all_rules()[code]) for code in used],
        [_result(finding, used.index(finding.code)) for finding in findings],
    )


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": " ".join(rule.explanation.split())},
        "help": {"text": f"Bad:\n\n{rule.bad_source}\nGood:\n\n{rule.good}"},
        "defaultConfiguration": {"level": _level(rule.code)},
        "properties": {"category": rule.category},
    }


def _result(finding: Finding, index: int) -> dict[str, Any]:
    text = finding.message + (f"; {finding.remedy}" if finding.remedy else "") + "."
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": file_uri(finding.path)},
            "region": {
                "startLine": finding.line,
                "startColumn": finding.column,
                "endLine": finding.end_line,
                "endColumn": finding.end_column,
            },
        }
    }
    if finding.cell is not None:
        # SARIF has no cells: the region counts within one, and this says within which.
        location["logicalLocations"] = [{"name": f"cell {finding.cell}", "kind": "module"}]
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _level(finding.code),
        "message": {"text": storable(text)},
        "locations": [location],
    }


def _level(code: str) -> str:
    return "error" if code == "SB001" else "warning"
