"""`# samebits: ignore[SB101] reason`: a person has looked, and says why it is right so.

Without codes it answers for every rule on the line. A comment on a line of its own speaks for the
next line of code. Without a reason nothing is suppressed silently: that is a finding itself.
"""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass

from samebits.lint.source import Source

_COMMENT = re.compile(
    r"#\s*samebits:\s*ignore(?:\[(?P<codes>[^\]]*)\])?(?P<reason>[^#]*)", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True)
class Suppression:
    """One such comment.

    Attributes:
        line: The comment's line.
        target: The line that it speaks for.
        column: Where it begins, counted from 1 in characters.
        end_column: First column after it.
        codes: The codes it names, upper case; empty for all.
        reason: What it says.
    """

    line: int
    target: int
    column: int
    end_column: int
    codes: frozenset[str]
    reason: str

    def covers(self, code: str, first_line: int, last_line: int) -> bool:
        """Whether it answers for a rule's finding on some lines."""
        return first_line <= self.target <= last_line and (not self.codes or code in self.codes)


def suppressions(source: Source) -> list[Suppression]:
    """All suppressing comments of a file, in order."""
    if "samebits:" not in source.text:
        return []
    found = []
    for line, column, text in _comments(source):
        match = _COMMENT.match(text)
        if match is None:
            continue
        codes = frozenset(
            code.strip().upper() for code in (match["codes"] or "").split(",") if code.strip()
        )
        alone = not source.line(line)[: column - 1].strip()
        found.append(
            Suppression(
                line=line,
                target=_next_code_line(source, line) if alone else line,
                column=column,
                end_column=column + len(match[0].rstrip()),
                codes=codes,
                reason=match["reason"].strip(" \t:-"),
            )
        )
    return found


def _comments(source: Source) -> list[tuple[int, int, str]]:
    """Line, column (from 1) and text of every comment; strings that look like one are none."""
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
            if token.type == tokenize.COMMENT:
                found.append((token.start[0], token.start[1] + 1, token.string))
    except (tokenize.TokenError, SyntaxError, IndentationError):
        # What parses may still not tokenize to the end; what was read so far counts.
        pass
    return found


def _next_code_line(source: Source, line: int) -> int:
    for number in range(line + 1, min(line + 50, len(source.lines)) + 1):
        text = source.line(number).strip()
        if text and not text.startswith("#"):
            return number
    return line
