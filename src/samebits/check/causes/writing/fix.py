"""What to write in place of the culprit: the user's own line, put right where that can be done."""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Collection, Iterator, Sequence

from samebits.check import causes
from samebits.check.causes.culprit import Culprit
from samebits.check.diff.correspondence import base_name
from samebits.core.names import printable
from samebits.core.source.statement import (
    imported_at,
    names_at,
    root,
    statement_at,
    words_of,
)

_MODULES = {
    "np": "import numpy as np",
    "python_random": "import random as python_random",
    "random": "import random",
    "torch": "import torch",
    "uuid": "import uuid",
    "zlib": "import zlib",
}
"""Modules that something written here may need, by the names that it uses them under."""
_MOST_PLACES = 3
_RANDOM_IS_A_FUNCTION = re.compile(
    r"^\s*from\s+random\s+import\s+(?:\*|[^\n]*\brandom\b)", re.MULTILINE
)
_OF_RANDOM = re.compile(r"(?<![\w.])random\.(?=(?:seed|Random)\()")


def fix(
    code: str, culprit: Culprit, pinned: Collection[str] = (), *, further: Sequence[str] = ()
) -> str:
    """What to write: code where the line can be put right, else advice in a sentence.

    Args:
        code: The cause's code.
        culprit: The line to blame.
        pinned: What had to be pinned for the runs to agree.
        further: Lines to write beside.
    """
    cause = causes.known(code)
    statement = statement_at(culprit.file, culprit.line)
    written = None
    if statement is not None and cause.is_one_line(pinned):
        with contextlib.suppress(RecursionError):  # a thousand terms: a sentence has to do
            written = cause.written(statement, culprit)
    if written is None:
        written = cause.advice(culprit, pinned, statement)
    written = "\n".join([written, *further, *_alike(culprit, is_code=_tree(written) is not None)])
    if _RANDOM_IS_A_FUNCTION.search(words_of(culprit.file)):
        written = _OF_RANDOM.sub("python_random.", written)
    return "\n".join([*_imports(written, culprit), written])


def _alike(culprit: Culprit, *, is_code: bool) -> Iterator[str]:
    """A line on the other sets that go by the same order."""
    if not culprit.alike:
        return
    places = [f"{printable(base_name(file), 80)}:{line}" for file, line in culprit.alike]
    more = len(places) - _MOST_PLACES
    where = f"{', '.join(places[:_MOST_PLACES])}" + (f" and {more} more lines" if more > 0 else "")
    sets, are = ("sets", "are") if len(places) > 1 else ("set", "is")
    sentence = f"the {sets} at {where} {are} walked in such an order as well"
    yield f"# {sentence}" if is_code else f"{sentence[0].upper()}{sentence[1:]}."


def _imports(written: str, culprit: Culprit) -> list[str]:
    """Lines that import what is written uses and the user's file does not know."""
    known = imported_at(culprit.file, culprit.line)
    tree = _tree(written)
    if known is None or tree is None:
        return []
    used = {root(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    missing = used - known - names_at(culprit.file, culprit.line)
    return [
        f"{line}  # at the top of the file" for name, line in _MODULES.items() if name in missing
    ]


def _tree(written: str) -> ast.AST | None:
    """The syntax tree of code, or of the head of a block; None of a sentence."""
    for text in (written, f"{written} pass"):
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None
