"""Source files that pack other files into archives, which keep the times of these."""

from __future__ import annotations

import ast

from samebits.core.source.statement import called, statements_in

_MODULES = frozenset({"gzip", "tarfile", "zipfile"})
_OPENING = frozenset({"GzipFile", "TarFile", "ZipFile", "compress", "make_archive", "open"})


def packs_files(file: str | None) -> bool:
    """Whether a file imports a library of archives and calls what makes them.

    Args:
        file: The source file; false for one that cannot be read.
    """
    names: set[str] = set()
    calls: set[str] = set()
    for statement in statements_in(file):
        node = statement.node
        if isinstance(node, ast.Import):
            names |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
        calls |= {called(one) or "" for one in statement.expressions()}
    return "make_archive" in calls or (bool(names & _MODULES) and bool(calls & _OPENING))
