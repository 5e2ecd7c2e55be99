"""Source files that pack other files into archives, which keep the times of these."""

from __future__ import annotations

import ast

from samebits.core.source.statement import Statement, called, statements_in

_OPENING = frozenset(
    {"gzip.GzipFile", "gzip.open", "tarfile.TarFile", "tarfile.open", "zipfile.ZipFile"}
)
_PACKING = frozenset({"gzip.compress", "shutil.make_archive"})
_READING = "r"


def packs_files(file: str | None) -> bool:
    """Whether a file writes an archive, by `tarfile`, `zipfile`, `gzip` or `shutil`.

    Args:
        file: The source file; false for one that cannot be read.
    """
    return any(
        isinstance(node, ast.Call) and _packs(statement, node)
        for statement in statements_in(file)
        for node in statement.expressions()
    )


def _packs(statement: Statement, node: ast.Call) -> bool:
    name = statement.name_of(node.func)
    if name in _PACKING:
        return called(node) != "compress" or not any(one.arg == "mtime" for one in node.keywords)
    if name not in _OPENING:
        return False
    given = [one.value for one in node.keywords if one.arg == "mode"] + node.args[1:2]
    mode = next((one.value for one in given if isinstance(one, ast.Constant)), _READING)
    return isinstance(mode, str) and not mode.startswith(_READING)
