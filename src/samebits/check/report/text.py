"""The panel: a report as text, for a terminal or a log.

No side borders: a fix and a path can be copied as they stand. On a terminal the panel is as wide
as the terminal and coloured (unless NO_COLOR is set); anywhere else it is 100 columns wide, ASCII
apart from what the user's own lines hold, and without a single control code.
"""

from __future__ import annotations

import sys
from typing import TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from samebits.check.report.console import PIPED_WIDTH, drawn, print_drawn
from samebits.check.report.cuda_outlook import OutlookView
from samebits.check.report.model import (
    CauseView,
    DivergenceView,
    FindingView,
    Report,
    SourcePlace,
)
from samebits.check.report.run_rows import RunRow
from samebits.check.report.slices import SliceStep, SliceView
from samebits.check.report.source import Quote
from samebits.check.report.values import ValuesView
from samebits.check.report.variations import VariationRow

_COLOURS = {"same": "green", "different": "red", "failed": "yellow", "incomplete": "yellow"}
_CONFIDENCE_COLOURS = {"proved": "bold", "likely": "yellow"}
_VARIATION_COLOURS = {"same": "green", "different": "red", "failed": "red"}
# Below this a run's folder would fold over many lines; it is in the verdict file.
_WIDTH_WITH_FOLDERS = 60
_LONGEST_BAR = 24


def print_report(report: Report, stream: TextIO | None = None) -> None:
    """Print the panel.

    A reader that has gone away (`samebits check ... | head -1`) is no error: the verdict, and so
    the exit code, stays what it is.

    Args:
        report: What to show.
        stream: Where to; standard output by default.
    """
    stream = sys.stdout if stream is None else stream
    encoding = (getattr(stream, "encoding", None) or "utf-8").lower()
    ascii_only = not (stream.isatty() and encoding.startswith("utf"))
    print_drawn(lambda console: _Panel(console, ascii_only=ascii_only).draw(report), stream)


def render_text(
    report: Report, *, width: int = PIPED_WIDTH, styled: bool = False, ascii_only: bool = True
) -> str:
    """The panel as text, lines without trailing blanks.

    Args:
        report: What to show.
        width: Columns; code to paste alone may be wider, since a broken line is of no use.
        styled: Colour and weight as terminal escape sequences; NO_COLOR takes the colour out.
        ascii_only: Draw rules and markers with ASCII characters.
    """
    return drawn(
        lambda console: _Panel(console, ascii_only=ascii_only).draw(report),
        width=width,
        styled=styled,
    )


_MOST_STEPS = 10
"""Parts of a slice that a terminal shows: the first and the last ones."""


class _Panel:
    """Draws a report on a console, one part after the other."""

    def __init__(self, console: Console, *, ascii_only: bool) -> None:
        self.console = console
        self.dash = "-" if ascii_only else "─"
        self.marker = ">" if ascii_only else "▶"
        self.bar = "|" if ascii_only else "│"
        self.ellipsis = "..." if ascii_only else "…"
        self.block = "#" if ascii_only else "█"
        self.heights = " ._-=+*#@" if ascii_only else " ▁▂▃▄▅▆▇█"

    def draw(self, report: Report) -> None:
        colour = _COLOURS[report.verdict]
        self._rule(report.title, colour)
        self._paragraph(report.headline[:1].upper() + report.headline[1:] + ".")
        if report.runs:
            self._blank()
            self._runs(report.runs)
        if report.divergence is not None:
            self._blank()
            self._divergence(report.divergence, colour)
        for cause in report.causes:
            self._blank()
            self._cause(cause)
        if report.values is not None:
            self._blank()
            self._values(report.values)
        if report.ledger:
            self._blank()
            self._heading("Differences in what was drawn or read", "", "")
            for sentence in report.ledger:
                self._indented(sentence)
        if report.variations:
            self._blank()
            self._variations(report.variations)
        if report.controls:
            self._blank()
            self._heading("Needs", " + ".join(report.controls), "bold")
        if report.under_run:
            self._heading("Under samebits run --seed 0", report.under_run, "bold")
        if report.outlook is not None:
            self._blank()
            self._outlook(report.outlook)
        for finding in report.findings:
            self._blank()
            self._finding(finding)
        if report.not_compared:
            self._blank()
            self._heading("Not compared", "", "yellow")
            for sentence in report.not_compared:
                self._indented(sentence)
        if report.notes:
            self._blank()
            self._heading("Notes", "", "")
            for note in report.notes:
                self._note(note)
        self._rule("", colour)

    def _rule(self, title: str, colour: str) -> None:
        start = f"{self.dash * 2} {title} " if title else ""
        line = Text(style=colour)
        line.append(start, style="bold")
        line.append(self.dash * (self.console.width - len(start)))
        self._unbroken(line)

    def _runs(self, runs: tuple[RunRow, ...]) -> None:
        is_wide = self.console.width >= _WIDTH_WITH_FOLDERS
        with_folders = is_wide and any(run.folder for run in runs)
        with_processes = any(run.name[:1] == " " for run in runs)
        # Names of processes take the room of their seconds on a narrow terminal.
        is_tight = with_processes and not is_wide
        names = ("run", "steps", *(("ops",) if is_tight else ("operations", "seconds")), "exit")
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for name in names:
            left = name == "exit" or (name == "run" and with_processes)
            number = name in ("steps", "ops")
            table.add_column(
                name, justify="left" if left else "right", overflow="fold", no_wrap=number
            )
        if with_folders:
            table.add_column("folder", overflow="fold")
        for run in runs:
            cells = [run.name, run.steps, run.ops]
            cells += [run.exit] if is_tight else [run.seconds, run.exit]
            if with_folders:
                cells.append(run.folder)
            table.add_row(*cells)
        self._indented(table)

    def _variations(self, rows: tuple[VariationRow, ...]) -> None:
        if self.console.width < _WIDTH_WITH_FOLDERS:
            self._heading("Varied", "", "")
            for row in rows:
                style = _VARIATION_COLOURS.get(row.verdict, "")
                self._indented(Text(f"{row.name}: {row.result}", style=style))
                for sentence in filter(None, row.what):
                    self._indented(sentence, columns=4)
            return
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for name in ("varied", "result", ""):
            table.add_column(name, overflow="fold")
        for row in rows:
            style = _VARIATION_COLOURS.get(row.verdict, "")
            table.add_row(row.name, Text(row.result, style=style), Text("; ".join(row.what)))
        self._indented(table)

    def _divergence(self, divergence: DivergenceView, colour: str) -> None:
        self._heading("First divergence", divergence.op, colour)
        self._indented(", ".join(divergence.facts))
        for sentence in divergence.what:
            self._indented(sentence)
        self._place(divergence.place)

    def _values(self, values: ValuesView) -> None:
        self._heading("How large it is, in two further runs", "", "")
        for tensor in values.tensors:
            self._indented(tensor.title, style="bold")
            for sentence in tensor.what:
                self._indented(sentence, columns=4)
            most = max((count for _, count in tensor.bars), default=0)
            widest = max((len(label) for label, _ in tensor.bars), default=0)
            longest = min(_LONGEST_BAR, self.console.width - widest - len(f"{most:,}") - 11)
            for label, count in tensor.bars:
                bar = self.block * max(1, round(longest * count / most))
                self._unbroken(Text(f"    {label:>{widest}} ULP  {bar} {count:,}"))
        for sentence in values.sentences:
            self._indented(sentence)
        if values.way is not None:
            self._way(values.way)
        if values.curves:
            self._heading("How it grows", "", "")
            widest = max(len(curve.name) for curve in values.curves)
            for curve in values.curves:
                line = "".join(self.heights[height] for height in curve.heights)
                self._unbroken(Text(f"  {curve.name:<{widest}}  {line}"))
                self._indented(curve.what, columns=widest + 4)

    def _way(self, way: SliceView) -> None:
        self._heading(way.title, "", "")
        for sentence in way.what:
            self._indented(sentence)
        left = max(0, len(way.steps) - _MOST_STEPS)
        head = _MOST_STEPS // 2 if left else len(way.steps)
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(justify="right", no_wrap=True)
        table.add_column(overflow="fold")
        for step in way.steps[:head]:
            table.add_row(str(step.number), self._step(step))
        if left:
            table.add_row("", f"and {left:,} more parts, which --html FILE shows")
        for step in way.steps[head + left :]:
            table.add_row(str(step.number), self._step(step))
        self._indented(table)

    def _step(self, step: SliceStep) -> Text:
        what = step.title + (", the loss" if step.is_goal else "")
        text = Text(", ".join(filter(None, (what, step.place))), style="bold")
        about = "; ".join(filter(None, (step.given, step.size)))
        return text.append(f"\n{about}", style="not bold") if about else text

    def _cause(self, cause: CauseView) -> None:
        style = _CONFIDENCE_COLOURS[cause.confidence]
        self._heading("Cause", cause.heading, style)
        if cause.evidence:
            self._indented(cause.evidence)
        if cause.place.quote is not None:
            self._place(cause.place)
        elif cause.place.text:
            self._indented(f"at {cause.place.text}")
        if cause.fix:
            self._heading("  Fix", "", "green")
            for line in cause.fix:
                if cause.fix_is_code:
                    self._unbroken(Text("    " + line, style="green"))
                else:
                    self._indented(line, columns=4)

    def _finding(self, finding: FindingView) -> None:
        self._heading("Found within the run", finding.code, "yellow")
        self._indented(finding.detail)
        self._indented(finding.evidence)
        self._place(finding.place)
        self._heading("  Fix", "", "green")
        for line in finding.fix:
            self._indented(line, columns=4)

    def _outlook(self, outlook: OutlookView) -> None:
        self._heading("On CUDA, under deterministic algorithms", outlook.headline, "bold")
        for row in outlook.rows:
            self._indented(f"{row.op}  {row.places}".rstrip(), style="bold")
            self._indented(row.instead, columns=4)
        for sentence in filter(None, (outlook.more, outlook.switches)):
            self._indented(sentence)

    def _place(self, place: SourcePlace) -> None:
        if place.text:
            self._indented(place.text, style="bold")
        if place.quote is not None:
            self._quote(place.quote)

    def _quote(self, quote: Quote) -> None:
        digits = len(str(quote.lines[-1][0]))
        for number, source in quote.lines:
            target = number == quote.line
            marker = self.marker if target else " "
            line = Text(f"  {marker} {number:>{digits}} {self.bar} ", style="" if target else "dim")
            line.append(self._cropped(source, self.console.width - line.cell_len))
            if target:
                line.stylize("bold")
            self._unbroken(line)

    def _note(self, lines: tuple[str, ...]) -> None:
        self._indented(lines[0])
        for line in lines[1:]:  # of a traceback, say: as they were printed
            self._unbroken(Text(self._cropped("    " + line, self.console.width)))

    def _heading(self, label: str, text: str, style: str) -> None:
        line = Text(f"{label}:")
        if text:
            line.append(" ")
            line.append(text, style=style if style == "bold" else f"bold {style}")
        self.console.print(line, overflow="fold")

    def _paragraph(self, text: str) -> None:
        self.console.print(Text(text, overflow="fold"))

    def _indented(self, content: RenderableType, *, style: str = "", columns: int = 2) -> None:
        body = Text(content, style=style, overflow="fold") if isinstance(content, str) else content
        self.console.print(Padding(body, (0, 0, 0, columns), expand=False))

    def _unbroken(self, text: Text) -> None:
        """Print one line as it is, however long."""
        self.console.print(text, soft_wrap=True)

    def _blank(self) -> None:
        self.console.print()

    def _cropped(self, text: str, width: int) -> str:
        """Text cut to a number of terminal cells, wide characters counted as two."""
        if cell_len(text) <= width:
            return text
        room = max(0, width - len(self.ellipsis))
        return set_cell_size(text, room).rstrip() + self.ellipsis
