"""`samebits diff`: where do two recorded runs diverge?"""

from __future__ import annotations

from typing import Annotated

import typer

from samebits.check.report.verdicts import VerdictFormat
from samebits.cli.options import (
    AcceptIncomplete,
    HtmlFile,
    IgnoreOutput,
    JsonFile,
    OutputFormat,
    Quiet,
    compiled_patterns,
)


def diff(
    run_a: Annotated[
        str,
        typer.Argument(
            metavar="RUN_A", show_default=False, help="A recorded run folder, or its URL."
        ),
    ],
    run_b: Annotated[
        str, typer.Argument(metavar="RUN_B", show_default=False, help="The one to compare it with.")
    ],
    json_file: JsonFile = "",
    html_file: HtmlFile = "",
    accept_incomplete: AcceptIncomplete = False,
    ignore_output: IgnoreOutput = None,
    output_format: OutputFormat = VerdictFormat.TEXT,
    quiet: Quiet = False,
) -> None:
    """Compare two recorded runs, from this machine or from others; nothing is run.

    Trainings with other numbers of ranks are compared in what all ranks of each hold after a step.

    Exit code: 0 same, 1 different, 2 wrong usage or a folder that cannot be read, 4 incomplete:
    what was compared agrees, and the first line names what was not.
    """
    from dataclasses import replace

    from samebits.check.agreement.findings import findings_of_both
    from samebits.check.agreement.other_counts import compare_other_counts, have_other_counts
    from samebits.check.diff.divergence import compare_traces
    from samebits.check.diff.printed_text import ignoring
    from samebits.check.report.json import STDOUT
    from samebits.check.trace.fetched_folders import fetched
    from samebits.check.trace.reader import Trace
    from samebits.check.trace.sources_of_runs import only_sources_of
    from samebits.check.trials.manifest_causes import with_cause_from_manifests
    from samebits.cli.folders import require_writable_file
    from samebits.cli.outcome import exit_code, show_verdict

    if json_file and json_file != STDOUT:
        require_writable_file(json_file, "--json FILE")
    if html_file:
        require_writable_file(html_file, "--html FILE")
    ignored = compiled_patterns(ignore_output)
    with fetched([run_a, run_b]):
        a, b = Trace.open(run_a), Trace.open(run_b)
        known = (one.rank_manifest(rank) for one in (a, b) for rank in one.ranks)
        with only_sources_of(known):
            with ignoring(ignored):
                compared = compare_other_counts if have_other_counts(a, b) else compare_traces
                verdict = with_cause_from_manifests(compared(a, b), a, b)
                verdict = replace(verdict, findings=findings_of_both(a, b))
            show_verdict(
                verdict,
                json_file=json_file,
                html_file=html_file,
                quiet=quiet,
                written_as=output_format,
            )
    raise typer.Exit(exit_code(verdict, accept_incomplete=accept_incomplete))
