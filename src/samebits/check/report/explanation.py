"""Entries of the catalog as a person reads them: on a terminal, and as pages of documentation."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TextIO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from samebits.check.causes.cause import KnownCause
from samebits.check.report.console import PIPED_WIDTH, drawn, print_drawn
from samebits.check.report.lookup import Entry
from samebits.core.catalog.operations import Operation
from samebits.core.catalog.switches import SwitchFacts

_DEVICES = {"cuda": "CUDA", "cpu": "CPU", "any": "CPU and CUDA"}
_PHASES = {"forward": "", "backward": ", in the backward pass", "any": ""}
_MODES = {
    "raises": "raises an error",
    "switches": "switches to a deterministic implementation",
    "nothing": "changes nothing",
}


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """One entry of the catalog, ready to print.

    Attributes:
        title: What it is about.
        facts: Pairs of label and text.
    """

    title: str
    facts: tuple[tuple[str, str], ...]


def explanation_of(entry: Entry) -> Explanation:
    """What an entry of the catalog says, in the order in which it is said."""
    if isinstance(entry, Operation):
        title, facts = ", ".join(entry.ops), _operation_facts(entry)
    elif isinstance(entry, SwitchFacts):
        title, facts = entry.name, _switch_facts(entry)
    else:
        title, facts = entry.code, _cause_facts(entry)
    return Explanation(title=title, facts=tuple((label, text) for label, text in facts if text))


def render_explanations(
    explanations: Sequence[Explanation], *, width: int = PIPED_WIDTH, styled: bool = False
) -> str:
    """Explanations as text, one below the other, lines without trailing blanks."""
    return drawn(partial(_draw, explanations), width=width, styled=styled)


def print_explanations(explanations: Sequence[Explanation], stream: TextIO | None = None) -> None:
    """Print explanations; standard output unless another stream is given."""
    print_drawn(partial(_draw, explanations), sys.stdout if stream is None else stream)


def _draw(explanations: Sequence[Explanation], console: Console) -> None:
    for number, explanation in enumerate(explanations):
        if number:
            console.print()
        console.print(Text(explanation.title, style="bold", overflow="fold"))
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(style="dim", no_wrap=True)
        table.add_column(overflow="fold")
        for label, text in explanation.facts:
            table.add_row(label, Text(text))
        console.print(Padding(table, (0, 0, 0, 2), expand=False))


def page(title: str, introduction: str, entries: Iterable[Entry]) -> str:
    """A page of documentation, in Markdown.

    Args:
        title: Its heading.
        introduction: What stands below that, Markdown.
        entries: What follows, a section each.
    """
    parts = [f"# {title}\n\n{introduction.strip()}\n"]
    for entry in entries:
        explanation = explanation_of(entry)
        lines = [f"| {label} | {_cell(text)} |" for label, text in explanation.facts]
        parts.append(
            "\n".join([f"## {_heading(explanation.title)}\n", "| | |", "|---|---|", *lines, ""])
        )
    return "\n".join(parts)


def _operation_facts(entry: Operation) -> list[tuple[str, str]]:
    return [
        ("from", ", ".join(entry.api)),
        ("device", _DEVICES[entry.device] + _PHASES[entry.phase]),
        ("torch", _versions(entry)),
        ("when", entry.when),
        ("flag", f"torch.use_deterministic_algorithms(True) {_MODES[entry.mode]}"),
        ("why", entry.why),
        ("instead", entry.instead),
        ("evidence", entry.evidence),
    ]


def _versions(entry: Operation) -> str:
    if entry.since and entry.until:
        return f"{entry.since} and newer, before {entry.until}"
    if entry.since:
        return f"{entry.since} and newer"
    return f"before {entry.until}" if entry.until else ""


def _switch_facts(entry: SwitchFacts) -> list[tuple[str, str]]:
    return [
        ("write", entry.write),
        ("does", entry.does),
        ("when", entry.when),
        ("costs", entry.costs),
        ("conflicts", entry.conflicts),
        ("set by", "samebits run and deterministic()" if entry.controlled else "nobody but you"),
    ]


def _cause_facts(entry: KnownCause) -> list[tuple[str, str]]:
    return [("meaning", entry.meaning), ("look", entry.look)]


def _cell(text: str) -> str:
    """Text in a cell of a Markdown table, with nothing in it taken for markup."""
    for mark in "\\`*_|<>[]":
        text = text.replace(mark, f"\\{mark}")
    return text


def _heading(text: str) -> str:
    return text.replace("_", "\\_")
