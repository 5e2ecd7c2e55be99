"""The same rules as a flake8 plugin: `flake8 --select SB`.

flake8 hands over one file at a time and interprets its own `# noqa`; what other files of a program
set is still taken into account, as far as the file imports them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from samebits.lint.engine import lint_source
from samebits.lint.registry import all_rules
from samebits.lint.runner import hold_in_program
from samebits.lint.source import Source


class Plugin:
    """What flake8 makes an object of for each file.

    Args:
        tree: The file's syntax tree; parsed anew here, since the positions must be this text's.
        filename: Its name, "stdin" or "-" for what is piped in.
        lines: Its lines with their ends.
    """

    name = "samebits"
    version = version("samebits")

    def __init__(self, tree: ast.AST, filename: str, lines: list[str]) -> None:
        self.filename = filename
        self.lines = lines

    def run(self) -> Iterator[tuple[int, int, str, type[Any]]]:
        """Findings as flake8 wants them: line, column counted from 0, text, type."""
        path = Path(self.filename).absolute()
        text = "".join(self.lines).replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
        result = lint_source(Source(path=self.filename, text=text), path, frozenset(all_rules()))
        for finding in hold_in_program(result):
            yield finding.line, finding.column - 1, f"{finding.code} {finding.message}", type(self)
