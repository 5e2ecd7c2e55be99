"""`samebits report`: a verdict, or recorded runs, as a page to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from samebits.errors import UsageError

DEFAULT_PAGE = Path("report.html")


def report(
    source: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN_OR_VERDICT...",
            show_default=False,
            help="Recorded run folders, the folder of one check, or a verdict file; folders may be "
            "URLs (s3://, sftp:// ...).",
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The page to write.")
    ] = DEFAULT_PAGE,
) -> None:
    """Write one HTML page that shows a verdict, or what recorded runs come to; nothing is run.

    The page opens from disk, without a network: the verdict with its source, the growth of the
    difference, maps of where the runs agree, what was drawn and read, and the surroundings. Of more
    than two runs it shows which agree with which.

    Exit code: 0 the page was written, 2 wrong usage, or a file or folder that cannot be read.
    """
    from samebits.check.report.page.sources import content_of
    from samebits.check.report.page.write import write_page
    from samebits.check.trace.fetched_folders import fetched
    from samebits.cli.folders import require_writable_file

    if str(out) == "-":
        raise UsageError("a page goes to a file", hint="name one with -o FILE")
    require_writable_file(str(out), "-o FILE")
    with fetched(source):
        write_page(content_of(source), out)
    typer.echo(f"{out}: {out.stat().st_size / 1000:,.0f} kB")
