"""A verdict as the verdict file has it."""

from __future__ import annotations

from typing import TextIO

from samebits.check.diff.verdict import Verdict
from samebits.check.report.json import render_json
from samebits.check.report.output_stream import write_text


def show(verdict: Verdict, stream: TextIO) -> None:
    """Print the document."""
    write_text(render_json(verdict), stream)
