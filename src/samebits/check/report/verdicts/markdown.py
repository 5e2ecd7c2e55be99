"""A verdict as GitHub's Markdown: a comment on a pull request, or a job's summary.

What comes from the user's files and output is escaped or stands in a block of code: it makes no
markup and mentions nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from samebits.check.diff.verdict import Verdict
from samebits.check.report.model import (
    CauseView,
    DivergenceView,
    Report,
    SourcePlace,
    build_report,
)
from samebits.check.report.output_stream import write_text
from samebits.check.report.values import ValuesView

_MARKUP = re.compile(r"([\\`*_\[\]<>|~#!$])")
_AT_THE_START = re.compile(r"^(\d+)([.)])(?=\s|$)|^([-+=])")
_NO_ESCAPE = {"&": "&amp;", "@": "`@`"}
"""Where a backslash is not enough: a mention is found in what is shown, except in code."""
_HEIGHTS = " ▁▂▃▄▅▆▇█"
_SIGNS = {"same": "✅", "different": "❌", "failed": "⚠️", "incomplete": "⚠️"}


def show(verdict: Verdict, stream: TextIO) -> None:
    """Print the document."""
    write_text(render(build_report(verdict)), stream)


def render(report: Report) -> str:
    """A report as Markdown, with a final newline."""
    return "\n\n".join(_blocks(report)) + "\n"


def _blocks(report: Report) -> Iterator[str]:
    yield f"### {_SIGNS[report.verdict]} samebits: {report.title}"
    yield _plain(f"{report.headline[:1].upper()}{report.headline[1:]}.")
    if report.divergence is not None:
        yield from _divergence(report.divergence)
    for cause in report.causes:
        yield from _cause(cause)
    if report.values is not None:
        yield from _values(report.values)
    if report.ledger:
        yield "**Differences in what was drawn or read**"
        yield _list(report.ledger)
    if report.variations:
        rows = ((row.name, row.result, "; ".join(row.what)) for row in report.variations)
        yield _table(("varied", "result", ""), rows)
    if report.controls:
        yield f"**Needs:** {_plain(' + '.join(report.controls))}"
    if report.under_run:
        yield f"**Under `samebits run --seed 0`:** {_plain(report.under_run)}"
    if report.outlook is not None:
        yield f"**On CUDA, under deterministic algorithms:** {_plain(report.outlook.headline)}"
        if report.outlook.rows:
            yield _list(f"{row.op} {row.places}: {row.instead}" for row in report.outlook.rows)
    for finding in report.findings:
        yield f"**Found within the run:** {finding.code}"
        yield _plain(f"{finding.detail} {finding.evidence}")
        yield from _place(finding.place)
        yield "**Fix:** " + _plain(" ".join(finding.fix))
    if report.not_compared:
        yield "**Not compared**"
        yield _list(report.not_compared)
    yield from _details(report)


def _divergence(found: DivergenceView) -> Iterator[str]:
    yield f"**First divergence:** {_code(found.op)}: {_plain(', '.join(found.facts))}"
    yield _list(found.what)
    yield from _place(found.place)


def _cause(cause: CauseView) -> Iterator[str]:
    yield f"**Cause:** {_plain(cause.title)}, *{cause.confidence}*"
    if cause.evidence:
        yield _plain(cause.evidence)
    yield from _place(cause.place)
    if cause.fix:
        yield "**Fix:**"
        yield _block(cause.fix, "python") if cause.fix_is_code else _plain("\n".join(cause.fix))


def _values(values: ValuesView) -> Iterator[str]:
    yield "**How large it is, in two further runs**"
    for tensor in values.tensors:
        yield _plain(tensor.title)
        yield _list(tensor.what)
    if values.sentences:
        yield _list(values.sentences)
    if values.way is not None:
        yield f"**{values.way.title}**"
        yield _list(values.way.what)
        rows = (
            (
                str(step.number),
                step.title + (" (the loss)" if step.is_goal else ""),
                step.place,
                step.given.removeprefix("given "),
                step.size.removeprefix("results "),
            )
            for step in values.way.steps
        )
        yield _table(("", "operation", "line", "given", "results"), rows)
    if values.curves:
        yield "**How it grows**"
        widest = max(len(curve.name) for curve in values.curves)
        lines = [
            f"{curve.name:<{widest}}  {''.join(_HEIGHTS[h] for h in curve.heights)}"
            for curve in values.curves
        ]
        yield _block(lines)
        yield _list(f"{curve.name}: {curve.what}" for curve in values.curves)


def _place(place: SourcePlace) -> Iterator[str]:
    if place.text:
        yield f"At {_code(place.text)}:"
    if place.quote is not None:
        digits = len(str(place.quote.lines[-1][0]))
        yield _block(
            [
                f"{'>' if number == place.quote.line else ' '} {number:>{digits}} | {source}"
                for number, source in place.quote.lines
            ]
        )


def _details(report: Report) -> Iterator[str]:
    """The runs and the notes, folded away."""
    if not report.runs and not report.notes:
        return
    parts = ["<details><summary>Runs and notes</summary>"]
    if report.runs:
        rows = [(run.name, run.steps, run.ops, run.seconds, run.exit) for run in report.runs]
        parts.append(_table(("run", "steps", "operations", "seconds", "exit"), rows))
    if report.notes:
        parts.append(_list("\n".join(note) for note in report.notes))
    parts.append("</details>")
    yield "\n\n".join(parts)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head)]
    lines += [[_plain(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _list(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {_plain(sentence)}" for sentence in sentences)


def _plain(text: str) -> str:
    """Text that means what it says: no markup, on one line."""
    line = " ".join(text.split())
    escaped = re.sub("[&@]", lambda found: _NO_ESCAPE[found[0]], _MARKUP.sub(r"\\\1", line))
    return _AT_THE_START.sub(_escaped_start, escaped)


def _escaped_start(found: re.Match[str]) -> str:
    return f"{found[1]}\\{found[2]}" if found[1] else f"\\{found[3]}"


def _code(text: str) -> str:
    """Text as code within a line."""
    line = " ".join(text.split())
    fence = "`" * (_longest_fence([line]) + 1)
    return f"{fence} {line} {fence}" if "`" in line else f"`{line}`"


def _block(lines: Sequence[str], language: str = "text") -> str:
    fence = "`" * max(3, _longest_fence(lines) + 1)
    return "\n".join([f"{fence}{language}", *lines, fence])


def _longest_fence(lines: Sequence[str]) -> int:
    return max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
