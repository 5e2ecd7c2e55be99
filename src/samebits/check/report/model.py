"""From a verdict to what is shown: every renderer draws a `Report`, none decides what to say.

All text in a `Report` is printable (see `samebits.check.report.printable`): a renderer may put it
on a terminal or into a page without looking at it again, as long as it treats it as text, not
markup.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

from samebits.check.diff.verdict import (
    CHANGED_BESIDE,
    PLAIN_ARGUMENTS,
    READS_UNWRITTEN,
    UNEXPLAINED_INPUTS,
    Cause,
    Divergence,
    RunFinding,
    RunSummary,
    Verdict,
)
from samebits.check.report.cuda_outlook import OutlookView, outlook_view
from samebits.check.report.ledger import difference_lines
from samebits.check.report.printable import printable_lines, printable_name, printable_text
from samebits.check.report.run_rows import RunRow, exit_text, run_rows
from samebits.check.report.source import Quote, place_text, quote
from samebits.check.report.values import MOST_ULP_IN_BARS, ValuesView, values_view
from samebits.check.report.variations import VariationRow, diverged_names, variation_rows

_TITLES = {"same": "SAME", "different": "DIFFERENT", "failed": "FAILED", "incomplete": "INCOMPLETE"}

_KINDS = {
    "output": "same operation and inputs, different bits",
    "inserted": "an operation that only one run has",
    "step": "a step whose digests differ",
    "saved": "a saved file that differs",
    "printed": "different output, printed or written",
    "exit": "another end",
}

_EACH_DOES = re.compile(r"run A does (\S+) \(.*\) here, run B does (\S+) \(")
_NAMED = 2  # things not compared, in the headline
_OTHER_INPUTS = {
    PLAIN_ARGUMENTS: "same operation with different arguments, different bits",
    CHANGED_BESIDE: "same operation on different inputs, different bits",
    UNEXPLAINED_INPUTS: "same operation on different inputs, different bits",
    READS_UNWRITTEN: "same operation, different bits",
}

_PHASES = {
    "setup": "before training",
    "data": "data",
    "forward": "forward pass",
    "backward": "backward pass",
    "optimizer": "optimizer",
}


@dataclass(frozen=True, kw_only=True)
class SourcePlace:
    """Where something stands in the user's code.

    Attributes:
        text: "train.py:12 in build", or "" when no line is known.
        quote: The line with its neighbours, when the file is readable here.
    """

    text: str
    quote: Quote | None


@dataclass(frozen=True, kw_only=True)
class DivergenceView:
    """The first divergence: what diverged, when, where and by how much.

    Attributes:
        op: The operation, such as "aten.uniform_".
        facts: "step 0", "forward pass", "module fc1", "float32[10, 64]", in this order, as far
            as they are known.
        what: Sentences that say what differs and by how much.
        place: The user's line.
    """

    op: str
    facts: tuple[str, ...]
    what: tuple[str, ...]
    place: SourcePlace


@dataclass(frozen=True, kw_only=True)
class CauseView:
    """One cause: its code, how sure, the evidence, and the lines to paste.

    Attributes:
        title: "unseeded-rng (torch-cpu)".
        confidence: "proved" or "likely".
        place: The line to blame; its quote is None where the first divergence already shows it.
        evidence: One sentence.
        fix: Lines of code or advice.
        fix_is_code: True when the fix can be pasted; it is then to be printed unbroken.
    """

    title: str
    confidence: str
    place: SourcePlace
    evidence: str
    fix: tuple[str, ...]
    fix_is_code: bool

    @property
    def heading(self) -> str:
        """The title and how sure it is; of a cause that is not known, nothing is."""
        return (
            self.title if self.title.startswith("unknown") else f"{self.title}, {self.confidence}"
        )


@dataclass(frozen=True, kw_only=True)
class FindingView:
    """Something that comparing the ranks of one run has shown; every field is ready to print."""

    code: str
    detail: str
    place: SourcePlace
    evidence: str
    fix: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Report:
    """All that a verdict has to say, in the order in which it is said.

    Attributes:
        verdict: "same", "different", "incomplete" or "failed".
        title: The same, in capitals.
        headline: One sentence.
        variations: What became of each variation.
        controls: What has to be held still for the runs to agree, such as "seeds".
        under_run: What `samebits run --seed 0` makes of it, such as "SAME"; "" unless tried.
        outlook: What would happen on CUDA, or None when there is nothing to say of it.
        not_compared: What was not compared, a sentence each.
        findings: What the ranks of a run should share and do not, or the other way round.
        values: The values behind the first divergence, or None where they were not asked for.
        notes: Each a tuple of lines.
        ledger: Where the two runs did not draw, list or read alike, a sentence each.
    """

    verdict: str
    title: str
    headline: str
    runs: tuple[RunRow, ...]
    divergence: DivergenceView | None
    causes: tuple[CauseView, ...]
    variations: tuple[VariationRow, ...]
    controls: tuple[str, ...]
    under_run: str
    outlook: OutlookView | None
    notes: tuple[tuple[str, ...], ...]
    ledger: tuple[str, ...] = ()
    not_compared: tuple[str, ...] = ()
    findings: tuple[FindingView, ...] = ()
    values: ValuesView | None = None


def build_report(verdict: Verdict) -> Report:
    """Turn a verdict into what is shown, reading quoted source lines from disk where it can."""
    shown: set[tuple[str, int]] = set()
    divergence = verdict.first_divergence
    view = None if divergence is None else _divergence_view(divergence, shown)
    return Report(
        verdict=verdict.verdict,
        title="NOT COMPARED" if verdict.nothing_compared else _TITLES[verdict.verdict],
        headline=_headline(verdict),
        runs=run_rows(verdict.runs),
        divergence=view,
        causes=tuple(_cause_view(cause, shown) for cause in verdict.causes),
        variations=variation_rows(verdict.variations),
        controls=tuple(printable_name(name) for name in verdict.minimal_controls),
        under_run=_under_run(verdict),
        outlook=outlook_view(verdict.cuda_outlook),
        notes=tuple(tuple(printable_lines(note)) for note in verdict.notes if note.strip()),
        ledger=difference_lines(verdict.ledger),
        not_compared=tuple(
            printable_text(f"{one.name}: {one.why}") for one in verdict.not_compared
        ),
        findings=tuple(_finding_view(finding, shown) for finding in verdict.findings),
        values=None if verdict.explanation is None else values_view(verdict.explanation),
    )


def summary_line(report: Report) -> str:
    """The whole report in one line, for logs and `--quiet`."""
    parts = [report.title.lower()]
    if report.divergence is not None and report.verdict != "failed":
        parts.append(report.divergence.op)
        if report.divergence.place.text:
            parts.append(f"at {report.divergence.place.text}")
    else:
        parts.append(report.headline)
    if report.causes:
        parts.append(f"({report.causes[0].heading})")
    return f"{parts[0]}: {' '.join(parts[1:])}"


def _headline(verdict: Verdict) -> str:
    count = len(verdict.runs)
    if verdict.verdict == "same":
        agree = "both" if count == 2 else f"all {count}"
        return f"{agree} runs gave the same bits in {_compared(verdict.runs)}"
    if verdict.nothing_compared:
        return printable_text(verdict.not_compared[0].why)
    if verdict.verdict == "incomplete":
        return f"what was compared agrees; not compared: {_left_out(verdict)}"
    diverged = diverged_names(verdict.variations)
    if verdict.verdict == "different" and diverged and verdict.agreed:
        agree = "both" if count == 2 else f"all {count}"
        return (
            f"{agree} runs gave the same bits, but the result changed when varying: "
            f"{', '.join(diverged)}"
        )
    found = verdict.first_divergence
    if (
        found is not None
        and found.kind == "printed"
        and any(c.code == "resume-state" for c in verdict.causes)
    ):
        return "the runs gave the same bits in every step but printed different text"
    if verdict.verdict == "different":
        return "the two runs gave different bits" if count == 2 else "the runs gave different bits"
    if any(run.timed_out for run in verdict.runs):
        return "the script was still running at the timeout"
    codes = [run.exit_code for run in verdict.runs if run.exit_code]
    if not codes:
        return "the script did not run to its end"
    # The last one: a run before it may have been killed on purpose, to be resumed.
    how = f"exit code {codes[-1]}" if codes[-1] > 0 else f"killed by {exit_text(codes[-1])}"
    return f"the script failed on its own ({how})"


def _left_out(verdict: Verdict) -> str:
    """The first things that were not compared, and how many more there are."""
    names = list(dict.fromkeys(printable_text(one.name) for one in verdict.not_compared))
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _compared(runs: tuple[RunSummary, ...]) -> str:
    """What a verdict "same" speaks of: only what was recorded can have been compared."""
    levels = {run.level for run in runs}
    steps = any(run.steps or any(process.steps for process in run.processes) for run in runs)
    recorded = any(run.ops or run.processes for run in runs)
    if not recorded or "step" in levels:
        return "every step" if steps else "all their output"
    if "module" in levels:
        return "every module"
    if "auto" in levels and steps:
        return "every operation up to the first step and in every step after it"
    return "every operation"


def _divergence_view(divergence: Divergence, shown: set[tuple[str, int]]) -> DivergenceView:
    facts = [
        f"step {divergence.step}",
        _PHASES.get(divergence.phase, printable_name(divergence.phase)),
    ]
    if divergence.kind in ("printed", "exit"):
        facts = [f"after step {divergence.step}"] if divergence.step else []
    if divergence.process:
        facts.insert(0, printable_name(divergence.process))
    if divergence.module:
        facts.append(f"module {printable_name(divergence.module)}")
    if divergence.signature:
        facts.append(printable_name(divergence.signature))
    what = [_OTHER_INPUTS.get(divergence.detail, _KINDS[divergence.kind])]
    if divergence.kind == "inserted" and None not in divergence.rows:
        what[0] = _which_other(divergence.detail)
    if divergence.data:
        what[0] = "its input came from outside (data) and already differs"
    elif divergence.random and divergence.kind == "output":
        what[0] = "a random operation drew different numbers"
    if divergence.detail:
        what.append(printable_text(divergence.detail))
    distance = _distance(divergence)
    if distance:
        what.append(distance)
    return DivergenceView(
        op=printable_name(divergence.op),
        facts=tuple(facts),
        what=tuple(what),
        place=_place(divergence.file, divergence.line, divergence.function, shown),
    )


def _which_other(detail: str) -> str:
    """What is different where each run does something of its own, by what the comparison says."""
    named = _EACH_DOES.match(detail)
    if named is not None and named[1] == named[2]:
        return "the same operation on other tensors"
    if detail.startswith("both runs do "):
        return "the same operation from a different place"
    return "a different operation"


def _distance(divergence: Divergence) -> str:
    parts = []
    if divergence.max_abs is not None:
        parts.append(f"largest difference {divergence.max_abs:.6g}")
    if divergence.max_ulp is not None and divergence.max_ulp < MOST_ULP_IN_BARS:
        parts.append(f"{divergence.max_ulp:,} ULP")
    return ", ".join(parts)


def _cause_view(cause: Cause, shown: set[tuple[str, int]]) -> CauseView:
    detail = printable_name(cause.detail)
    return CauseView(
        title=f"{cause.code} ({detail})" if detail else cause.code,
        confidence=cause.confidence,
        place=_place(cause.file, cause.line, None, shown),
        evidence=printable_text(cause.evidence),
        fix=tuple(printable_lines(cause.fix)) if cause.fix.strip() else (),
        fix_is_code=_is_code(cause.fix),
    )


def _finding_view(finding: RunFinding, shown: set[tuple[str, int]]) -> FindingView:
    return FindingView(
        code=finding.code,
        detail=printable_text(finding.detail[:1].upper() + finding.detail[1:] + "."),
        place=_place(finding.file, finding.line, None, shown),
        evidence=printable_text(finding.evidence[:1].upper() + finding.evidence[1:] + "."),
        fix=tuple(printable_lines(finding.fix)),
    )


def _is_code(text: str) -> bool:
    """Whether a text is Python as it stands, and not a sentence."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in a string is still code
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _place(
    file: str | None, line: int | None, function: str | None, shown: set[tuple[str, int]]
) -> SourcePlace:
    """A place in the code, quoted the first time that it is named."""
    if not file:
        return SourcePlace(text="", quote=None)
    text = place_text(file, line)
    if line is None:
        return SourcePlace(text=text, quote=None)
    if function:
        text += f" in {printable_name(function)}"
    if (file, line) in shown:
        return SourcePlace(text=text, quote=None)
    shown.add((file, line))
    return SourcePlace(text=text, quote=quote(file, line))


def _under_run(verdict: Verdict) -> str:
    if verdict.under_run is None:
        return ""
    if not verdict.under_run:
        return "DIFFERENT"
    return (
        "SAME"
        if verdict.under_controls_whole
        else "SAME up to this point; the rest of the run was not compared"
    )
