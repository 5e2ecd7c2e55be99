"""Source files that pack other files into archives, which keep the times of these."""

from __future__ import annotations

import ast
import re

from samebits.core.source.statement import Statement, called, statements_in

_OPENING = frozenset(
    {"gzip.GzipFile", "gzip.open", "tarfile.TarFile", "tarfile.open", "zipfile.ZipFile"}
)
_PACKING = frozenset({"gzip.compress", "shutil.make_archive"})
_ADDING = frozenset({"add", "addfile", "write", "writestr"})
_READING = "r"
_MAKERS = re.compile(
    r"(?:gzip|tarfile|zipfile)\.|shutil\.make_archive$|pandas\.(?:\w+\.)*to_(?:csv|json|pickle|xml)$"
)
"""Functions that ask for the time to write it into an archive; pandas does where it compresses."""


def makes_an_archive(function: str) -> bool:
    """Whether a function that asks for the time does so to write it into an archive.

    Args:
        function: Its whole name, such as `gzip.open`.
    """
    return _MAKERS.match(function) is not None


def lines_that_pack(file: str | None) -> tuple[int, ...]:
    """The lines of a file that put something into an archive, in order.

    Archives of `tarfile`, `zipfile`, `gzip` and `shutil` are known. Where what is put into an open
    one has no line of its own, the line counts that opens it.

    Args:
        file: The source file; nothing is found in one that cannot be read.
    """
    lines: set[int] = set()
    opened: dict[str, int] = {}
    for statement in statements_in(file):
        for node in statement.expressions():
            if not isinstance(node, ast.Call):
                continue
            name = _adds_to(node)
            if name in opened:
                lines = (lines - {opened[name]}) | {node.lineno}
            elif _packs(statement, node):
                lines.add(node.lineno)
                opened |= dict.fromkeys(_names_of_it(statement, node), node.lineno)
    return tuple(sorted(lines))


def packs_files(file: str | None) -> bool:
    """Whether a file writes an archive.

    Args:
        file: The source file; false for one that cannot be read.
    """
    return bool(lines_that_pack(file))


def _adds_to(node: ast.Call) -> str:
    """The name of what a call may add something to; "" for other calls."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in _ADDING:
        return ""
    return ast.unparse(node.func.value)


def _names_of_it(statement: Statement, node: ast.Call) -> list[str]:
    """What a statement calls the archive that one of its calls has opened."""
    match statement.node:
        case ast.Assign(targets=targets, value=value) if value is node:
            return [ast.unparse(target) for target in targets]
        case ast.With(items=items):
            named = (item.optional_vars for item in items if item.context_expr is node)
            return [ast.unparse(name) for name in named if name is not None]
    return []


def _packs(statement: Statement, node: ast.Call) -> bool:
    name = statement.name_of(node.func)
    if name in _PACKING:
        return called(node) != "compress" or not any(one.arg == "mtime" for one in node.keywords)
    if name not in _OPENING:
        return False
    given = [one.value for one in node.keywords if one.arg == "mode"] + node.args[1:2]
    mode = next((one.value for one in given if isinstance(one, ast.Constant)), _READING)
    return isinstance(mode, str) and not mode.startswith(_READING)
