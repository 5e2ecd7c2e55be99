"""`samebits collect`: one run of the parts that several machines have recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def collect(
    folders: Annotated[
        list[str],
        typer.Argument(
            metavar="FOLDER...",
            show_default=False,
            help="What each machine recorded: run folders, or URLs of some (s3://, sftp:// ...).",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="OUT", show_default=False, help="The run folder to write."
        ),
    ],
) -> None:
    """Make one run of the parts that several machines have recorded.

    Each machine records its own part: samebits run --out part0 torchrun --nnodes 2 ... The run
    that is made of them can be given to samebits diff and samebits ledger like any other. What its
    ranks should share, and do not, is told at once.

    Exit code: 0 collected, 2 wrong usage, a folder that cannot be read, or parts that do not belong
    together.
    """
    import sys

    from samebits.check.agreement.findings import findings
    from samebits.check.report.output_stream import write_text
    from samebits.check.report.printable import printable_text
    from samebits.check.report.source import place_text
    from samebits.check.trace.collecting import collect_parts
    from samebits.check.trace.fetched_folders import fetched, folder_of
    from samebits.check.trace.reader import Trace
    from samebits.check.trace.run_parts import open_part
    from samebits.cli.folders import require_new_folder

    require_new_folder(out, "-o OUT")
    with fetched(folders):
        parts = [open_part(place, folder_of(place)) for place in folders]
        manifest = collect_parts(parts, out)
    ranks = sum(len(part.ranks) for part in parts)
    what = f"{ranks} rank{'s' if ranks != 1 else ''} of {len(parts)} part"
    lines = [f"collected in {out}: {what}{'s' if len(parts) != 1 else ''}", *manifest.notes]
    for found in findings(Trace.open(out)):
        where = f" ({place_text(found.file, found.line)})" if found.file and found.line else ""
        lines.append(f"{found.code}: {found.detail}{where}")
    write_text("".join(f"samebits: {printable_text(line)}\n" for line in lines), sys.stderr)
