"""Findings as workflow commands that GitHub shows beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from samebits.core.names import storable
from samebits.lint.finding import Finding


def render(findings: Sequence[Finding], _files: int) -> str:
    """One line a finding, each `::error file=...,line=...::message`."""
    return "".join(_annotation(finding) for finding in findings)


def _annotation(finding: Finding) -> str:
    properties = {
        "title": f"samebits {finding.code} {finding.name}",
        "file": finding.path,
        "line": str(finding.line),
        "endLine": str(finding.end_line),
    }
    if finding.line == finding.end_line:  # GitHub takes columns only within one line
        properties |= {"col": str(finding.column), "endColumn": str(finding.end_column)}
    cell = f"cell {finding.cell}: " if finding.cell is not None else ""
    text = f"{cell}{finding.message}" + (f"\n{finding.remedy}" if finding.remedy else "")
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::error {listed}::{_data(text)}\n"


def _data(text: str) -> str:
    """A message that cannot end its line and begin another command."""
    return storable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
