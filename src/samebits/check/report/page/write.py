"""Writes a page to a file, which appears complete or stays as it was."""

from __future__ import annotations

from pathlib import Path

from samebits.check.report.json import write_document
from samebits.check.report.page.content import PageContent
from samebits.check.report.page.render import render


def write_page(content: PageContent, target: Path) -> None:
    """Render a page and write it.

    Args:
        content: What it shows.
        target: The file.

    Raises:
        UsageError: The file cannot be written.
    """
    write_document(render(content), str(target), what="the page")
