"""`samebits lint`: what in this code will not reproduce?"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from samebits.check.report.findings import Format, rendered
from samebits.errors import UsageError

if TYPE_CHECKING:
    from samebits.lint.discovery import FileToLint
    from samebits.lint.finding import Finding
    from samebits.lint.runner import LintResult

# Below this there is nothing to wait for.
_FILES_WORTH_A_BAR = 100


def lint(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]...",
            show_default=False,
            help="Files and folders; the current folder unless given.",
        ),
    ] = None,
    select: Annotated[
        str,
        typer.Option(
            metavar="CODES",
            show_default=False,
            help="Only these rules: codes or beginnings of codes, with commas (SB1,SB202).",
        ),
    ] = "",
    ignore: Annotated[
        str,
        typer.Option(metavar="CODES", show_default=False, help="Not these rules."),
    ] = "",
    output_format: Annotated[
        Format, typer.Option("--format", help="How findings are written.")
    ] = Format.TEXT,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Where findings are written; standard output unless given.",
        ),
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Rewrite what can be rewritten safely; report the rest.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Print what --fix would change, and change nothing.")
    ] = False,
    explain: Annotated[
        str,
        typer.Option(
            metavar="CODE", show_default=False, help="Explain a rule, with examples, and exit."
        ),
    ] = "",
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            metavar="N",
            show_default=False,
            help="Worker processes; one a processor unless given.",
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress and no summary.")
    ] = False,
) -> None:
    """Check code and notebooks statically for nondeterminism; nothing is run or imported.

    Exit code: 0 no findings, 1 findings, 2 wrong usage.
    """
    from samebits.check.report.output_stream import write_text
    from samebits.lint.discovery import find_files
    from samebits.lint.registry import find_rule

    if explain:
        from samebits.check.report.findings.text import render_explanation

        write_text(render_explanation(find_rule(explain)), sys.stdout)
        return
    if fix and diff:
        raise UsageError("--fix and --diff exclude each other", hint="--diff shows, --fix writes")
    files = find_files(paths or [Path()], select=_codes(select) or None, ignore=_codes(ignore))
    result = _run(files, jobs=jobs, quiet=quiet)
    if diff:
        changes = _rewrite(files, result, write=False)
        write_text("".join(changes), sys.stdout)
        raise typer.Exit(1 if changes else 0)
    if fix:
        changes = _rewrite(files, result, write=True)
        if changes:
            result = _run(files, jobs=jobs, quiet=True)
            if not quiet:
                files_word = "file" if len(changes) == 1 else "files"
                print(f"samebits: rewrote {len(changes)} {files_word}", file=sys.stderr)
    _show(result.findings, result.files, output_format, output, quiet=quiet)
    raise typer.Exit(1 if result.findings else 0)


def _codes(text: str) -> tuple[str, ...]:
    return tuple(code.strip() for code in text.split(",") if code.strip())


def _run(files: Sequence[FileToLint], *, jobs: int | None, quiet: bool) -> LintResult:
    from samebits.lint.runner import lint_files

    with _progress(len(files), quiet=quiet) as on_progress:
        return lint_files(files, jobs=jobs, on_progress=on_progress)


def _rewrite(files: Sequence[FileToLint], result: LintResult, *, write: bool) -> list[str]:
    """Rewrite files; the changes as diffs, for those that have any."""
    from samebits.lint.rewriting import fix_file

    findings: dict[str, list[Finding]] = {}
    for finding in result.findings:
        if finding.fixable:
            findings.setdefault(finding.path, []).append(finding)
    changes = [
        fix_file(file.path, file.shown_as, findings[file.shown_as], write=write)
        for file in files
        if file.shown_as in findings
    ]
    return [change for change in changes if change]


def _show(
    findings: Sequence[Finding],
    files: int,
    output_format: Format,
    output: Path | None,
    *,
    quiet: bool,
) -> None:
    if output_format is Format.TEXT and output is None:
        _show_text(findings, files, quiet=quiet)
        return
    text = rendered(findings, files, output_format)
    if output is None:
        from samebits.check.report.output_stream import write_text

        write_text(text, sys.stdout)
        return
    try:
        output.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(
            f"cannot write the findings to {output}: {error.strerror or error}",
            hint="choose another file with --output FILE",
        ) from error


def _show_text(findings: Sequence[Finding], files: int, *, quiet: bool) -> None:
    from samebits.check.report.findings.text import styled, summary
    from samebits.check.report.output_stream import write_text

    text = styled(findings)
    if sys.stdout.isatty():
        from rich.console import Console

        Console(highlight=False, markup=False, emoji=False).print(text, soft_wrap=True, end="")
    else:
        write_text(text.plain, sys.stdout)
    if not quiet:
        blank = "\n" if findings else ""
        write_text(f"{blank}{summary(findings, files)}\n", sys.stdout)


@contextlib.contextmanager
def _progress(files: int, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on standard error, on a terminal and when there is something to wait for."""
    if quiet or files < _FILES_WORTH_A_BAR or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    bar = Progress(
        "reading",
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True, highlight=False),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=files)
        yield lambda done, total: bar.update(task, completed=done, total=total)
