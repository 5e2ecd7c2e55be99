"""A verdict in one line."""

from __future__ import annotations

from typing import TextIO

from samebits.check.diff.verdict import Verdict
from samebits.check.report.model import build_report, summary_line
from samebits.check.report.output_stream import write_text


def show(verdict: Verdict, stream: TextIO) -> None:
    """Print the line."""
    write_text(summary_line(build_report(verdict)) + "\n", stream)
