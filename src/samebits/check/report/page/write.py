"""Writes a page to a file, which appears complete or stays as it was."""

from __future__ import annotations

from pathlib import Path

from samebits.check.report.json import write_document
from samebits.check.report.page.content import PageContent
from samebits.check.report.page.render import render

_HINT = "choose another file for the page with -o FILE"


def write_page(content: PageContent, target: Path, *, hint: str = _HINT) -> None:
    """Render a page and write it.

    Args:
        content: What it shows.
        target: The file.
        hint: What to do where it cannot be written.

    Raises:
        UsageError: The file cannot be written.
    """
    write_document(render(content), str(target), what="the page", hint=hint)
