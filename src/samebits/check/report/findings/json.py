"""Findings as JSON: schema `samebits.lint/1`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from samebits.core.names import storable
from samebits.lint.finding import Finding

SCHEMA = "samebits.lint/1"


def render(findings: Sequence[Finding], files: int) -> str:
    """Findings as one JSON object, ASCII only, with a final newline.

    Lines and columns count from 1, columns in characters; `end_column` is the first after the
    place. In a notebook, `cell` counts all cells from 1 and lines count within the cell.
    """
    content = {
        "schema": SCHEMA,
        "files": files,
        "findings": [_finding(finding) for finding in findings],
    }
    return json.dumps(content, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "path": storable(finding.path),
        "cell": finding.cell,
        "line": finding.line,
        "column": finding.column,
        "end_line": finding.end_line,
        "end_column": finding.end_column,
        "code": finding.code,
        "name": finding.name,
        "message": storable(finding.message),
        "remedy": storable(finding.remedy),
        "fixable": finding.fixable,
    }
