"""Shows a verdict: the panel or a line for people, JSON where it was asked for."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from samebits.check.report.verdicts import VerdictFormat
from samebits.errors import UsageError

if TYPE_CHECKING:
    from samebits.check.diff.verdict import Verdict


def show_verdict(
    verdict: Verdict,
    *,
    json_file: str,
    html_file: str = "",
    quiet: bool,
    written_as: VerdictFormat = VerdictFormat.TEXT,
) -> None:
    """Print a verdict and write the verdict file and the page.

    Args:
        verdict: What the comparison came to.
        json_file: Where the verdict file goes: a path, "-" for standard output, "" for nowhere.
            Standard output then holds the JSON and nothing else.
        html_file: Where the page goes, "" for nowhere.
        quiet: One line instead of the panel.
        written_as: The format of what is printed; `quiet` makes a line of text.

    Raises:
        UsageError: A file cannot be written; the verdict itself has been printed.
    """
    from samebits.check.report.json import STDOUT, write_json
    from samebits.check.report.verdicts import show

    stream = sys.stderr if json_file == STDOUT else sys.stdout
    brief = quiet and written_as is VerdictFormat.TEXT
    show(verdict, VerdictFormat.LINE if brief else written_as, stream)
    if json_file:
        write_json(verdict, json_file)
    if html_file:
        from samebits.check.report.page.content import page_content
        from samebits.check.report.page.write import write_page

        hint = "choose another file for the page with --html FILE"
        write_page(page_content(verdict), Path(html_file), hint=hint)


def keep_verdict(verdict: Verdict, folder: Path) -> None:
    """Write the verdict file into the folder of the runs, for `samebits runs` and `report`.

    That it cannot be written (a disk that is full) is told, and changes nothing else.
    """
    from samebits.check.report.json import write_json
    from samebits.check.trace.recorded import VERDICT_FILE

    try:
        write_json(verdict, str(folder / VERDICT_FILE))
    except UsageError as error:
        print(f"samebits: {error.message}", file=sys.stderr)


def forget_verdict(folder: Path) -> None:
    """Take away the verdict that an earlier check has left: it is not that of the runs to come."""
    from samebits.check.trace.recorded import VERDICT_FILE

    with contextlib.suppress(OSError):
        (folder / VERDICT_FILE).unlink()


def exit_code(verdict: Verdict, *, accept_incomplete: bool, strict: bool = False) -> int:
    """The exit code of a command.

    Args:
        verdict: What it has shown.
        accept_incomplete: Whether it is enough that what was compared agrees.
        strict: Whether what was found within a run decides as well.
    """
    if strict and verdict.findings and verdict.verdict in ("same", "incomplete"):
        return 1
    if accept_incomplete and verdict.verdict == "incomplete":
        return 0
    return verdict.exit_code
