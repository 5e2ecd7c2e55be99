"""A verdict as a panel, for people at a terminal and in logs."""

from __future__ import annotations

from typing import TextIO

from samebits.check.diff.verdict import Verdict
from samebits.check.report.model import build_report
from samebits.check.report.text import print_report


def show(verdict: Verdict, stream: TextIO) -> None:
    """Print the panel."""
    print_report(build_report(verdict), stream)
