"""Findings as text: the place, the sentence, the line with a caret below, the remedy."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from samebits.check.report.printable import printable_source, printable_text
from samebits.lint.finding import Finding
from samebits.lint.rule import Rule


def render(findings: Sequence[Finding], _files: int) -> str:
    """All findings, a blank line between them, without style."""
    return styled(findings).plain


def styled(findings: Sequence[Finding]) -> Text:
    """All findings, a blank line between them, styled for a terminal."""
    return Text("\n").join(_finding(finding) for finding in findings)


def summary(findings: Sequence[Finding], files: int) -> str:
    """One line: how much was found, in how many files, and how much of it --fix can do."""
    looked = f"{files} file{'s' if files != 1 else ''}"
    if not findings:
        return f"No findings in {looked}."
    codes = Counter(finding.code for finding in findings)
    number = f"{len(findings)} finding{'s' if len(findings) != 1 else ''} in {looked}"
    fixable = sum(finding.fixable for finding in findings)
    rest = f"; --fix can rewrite {fixable}" if fixable else ""
    listed = ", ".join(f"{code} {count}" for code, count in sorted(codes.items()))
    return f"{number} ({listed}){rest}."


def render_explanation(rule: Rule) -> str:
    """A rule for a person to read: what, why, and both examples."""
    parts = [f"{rule.code} {rule.name}: {rule.summary}", f"Category: {rule.category}"]
    parts += rule.explanation.strip().split("\n\n")
    wrapped = [textwrap.fill(" ".join(part.split()), 96) for part in parts]
    fix = "--fix rewrites it where that is safe." if rule.fixes else "There is no automatic fix."
    examples = [
        f"{title}:\n\n{textwrap.indent(source.rstrip(), '    ')}"
        for title, source in (("Bad", rule.bad_source), ("Good", rule.good))
    ]
    return "\n\n".join([*wrapped, fix, *examples]) + "\n"


def _finding(finding: Finding) -> Text:
    where = printable_text(finding.path)
    if finding.cell is not None:
        where += f":cell {finding.cell}"
    text = Text()
    text.append(where, style="bold")
    text.append(f":{finding.line}:{finding.column}: ")
    text.append(finding.code, style="bold red")
    text.append(f" {printable_text(finding.message)} [{finding.name}]\n")
    if finding.quote.strip():
        shown, caret = _quote(finding)
        text.append(f"    {shown}\n")
        text.append(f"    {caret}\n", style="red")
    if finding.remedy:
        fix = " (--fix does it)" if finding.fixable else ""
        text.append(f"    = {printable_text(finding.remedy)}{fix}\n", style="green")
    return text


def _quote(finding: Finding) -> tuple[str, str]:
    """The line without its margin, and carets below the place."""
    start = finding.quote_column - 1
    length = finding.end_column - finding.column if finding.end_line == finding.line else None
    rest = finding.quote[start:]
    # Through a marker, since printing a line strips the blanks at its end.
    before = printable_source(finding.quote[:start] + "|")[:-1] if start else ""
    inside = printable_source(rest if length is None else rest[:length])
    after = "" if length is None else printable_source(rest[length:])
    margin = len(before) - len(before.lstrip(" "))
    carets = "^" * max(1, cell_len(inside))
    return before[margin:] + inside + after, " " * cell_len(before[margin:]) + carets
