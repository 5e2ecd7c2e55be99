"""What a person names, as the content of a page: a verdict file, one run, two, or many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from samebits.check.agreement.findings import findings, findings_of_both
from samebits.check.agreement.other_counts import compare_other_counts, have_other_counts
from samebits.check.diff.cuda_outlook import with_cuda_outlook
from samebits.check.diff.divergence import compare_traces
from samebits.check.diff.run_summary import run_summary
from samebits.check.diff.verdict import NotCompared, Verdict
from samebits.check.report.page.content import PageContent, page_content
from samebits.check.report.page.groups import grouped
from samebits.check.report.verdict_file import read_verdict
from samebits.check.trace.fetched_folders import folder_of
from samebits.check.trace.reader import Trace
from samebits.check.trace.recorded import VERDICT_FILE, runs_of
from samebits.check.trace.schema import MANIFEST_FILE
from samebits.check.trace.sources_of_runs import only_sources_of
from samebits.check.trials.manifest_causes import with_cause_from_manifests
from samebits.core.names import printable
from samebits.errors import TraceError, UsageError


def content_of(sources: Sequence[str | Path]) -> PageContent:
    """The content of a page about what a person has named.

    Of the two runs that a check has compared, the page shows what the check came to: the cause that
    it has proved, and the further runs that it made.

    Args:
        sources: One verdict file, or the folder of one check, or run folders; paths, or URLs that
            were `fetched`.

    Raises:
        UsageError: A verdict file stands beside something else, is none, or is damaged.
        TraceError: A run folder cannot be read.
    """
    named = [folder_of(source) for source in sources]
    places = [place for one in named for place in _inside(one, alone=len(named) == 1)]
    files = [place for place in places if not place.is_dir()]
    kept = _kept_verdict(places) if not files else None
    if kept is not None:
        return _of_verdict(kept)
    if not files:
        return _of_runs([Trace.open(folder) for folder in places])
    if len(places) > 1:
        raise UsageError(
            f"{printable(str(files[0]))} is no run folder",
            hint="Give run folders, or one verdict file alone.",
        )
    return _of_verdict(files[0])


def _inside(source: Path, *, alone: bool) -> Sequence[Path]:
    """What the folder of a check stands for: its verdict, or among others its runs."""
    if not source.is_dir() or (source / MANIFEST_FILE).is_file():
        return [source]
    if alone and (source / VERDICT_FILE).is_file():
        return [source / VERDICT_FILE]
    return runs_of(source) or [source]


def _kept_verdict(runs: Sequence[Path]) -> Path | None:
    """The verdict that a check has kept of two runs, in the folder that both lie in."""
    if len(runs) != 2 or len({run.resolve().parent for run in runs}) != 1:
        return None
    file = runs[0].resolve().parent / VERDICT_FILE
    if not file.is_file():
        return None
    try:
        verdict = read_verdict(file)
    except UsageError:
        return None  # the runs themselves can be compared
    pair = [Path(verdict.runs[n].folder).name for n in verdict.compared if n < len(verdict.runs)]
    return file if pair == [run.resolve().name for run in runs] else None


def _of_verdict(file: Path) -> PageContent:
    verdict = read_verdict(file)
    manifests = []
    for folder in (*(run.folder for run in verdict.runs), *verdict.closer):
        for place in (folder_of(folder), file.parent / folder, file.parent / Path(folder).name):
            try:
                manifests.append(Trace.open(place).manifest)
            except TraceError:
                continue
            break
    with only_sources_of(manifests):
        try:
            return page_content(verdict, beside=file.parent)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise UsageError(
                f"{printable(str(file))} is damaged: {printable(str(error), 200)}",
                hint="Write it again with samebits diff RUN_A RUN_B --json FILE.",
            ) from error


def _of_runs(traces: Sequence[Trace]) -> PageContent:
    known = (trace.rank_manifest(rank) for trace in traces for rank in trace.ranks)
    with only_sources_of(known):
        if len(traces) == 1:
            return page_content(_of_one(traces[0]))
        groups = grouped(traces) if len(traces) > 2 else None
        first, second = (0, 1) if groups is None else groups.first_pair
        return page_content(_compared(traces[first], traces[second]), groups=groups)


def _of_one(trace: Trace) -> Verdict:
    alone = NotCompared("run", "a second run", "there is nothing to compare this one with")
    verdict = Verdict(
        verdict="incomplete",
        runs=(run_summary(trace),),
        findings=findings(trace),
        not_compared=(alone,),
    )
    return with_cuda_outlook(verdict)


def _compared(a: Trace, b: Trace) -> Verdict:
    compared = compare_other_counts if have_other_counts(a, b) else compare_traces
    verdict = with_cause_from_manifests(compared(a, b), a, b)
    return replace(verdict, findings=findings_of_both(a, b))
