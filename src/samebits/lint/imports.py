"""Which files a file imports, as far as they lie beside it: found by name, never imported."""

from __future__ import annotations

import ast
import functools
import os
from collections.abc import Iterator
from pathlib import Path

from samebits.lint.module import Module


def imported_files(module: Module, roots: tuple[Path, ...] = ()) -> list[Path]:
    """Paths of the modules and packages that a file's imports mean, in order, each once.

    Args:
        module: The parsed file.
        roots: Folders to look in for absolute imports, after the file's own and its package's.
    """
    bases = [module.path.parent, *_package_roots(module.path.parent), *roots]
    found: dict[Path, None] = {}
    for node in module.nodes(ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            for alias in node.names:
                _add(found, bases, alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            parts = node.module.split(".") if node.module else []
            where = bases
            if node.level:
                folder = module.path.parent
                for _ in range(node.level - 1):
                    folder = folder.parent
                where = [folder]
            for alias in node.names:
                # `from .utils import seed` names a file's content, `from . import utils` a file.
                if not _add(found, where, [*parts, alias.name]):
                    _add(found, where, parts)
    found.pop(module.path, None)
    return list(found)


def _add(found: dict[Path, None], bases: list[Path], parts: list[str]) -> bool:
    for base in dict.fromkeys(bases):
        # Most imports are of installed packages: one look into the listing settles those.
        if parts and not _has_entry(str(base), parts[0]):
            continue
        target = base.joinpath(*parts)
        for path in (target.with_name(f"{target.name}.py"), target / "__init__.py"):
            if parts and path.name in _listing(str(path.parent)):
                found[path] = None
                return True
    return False


def _has_entry(folder: str, name: str) -> bool:
    listing = _listing(folder)
    return name in listing or f"{name}.py" in listing


@functools.lru_cache(maxsize=4096)
def _listing(folder: str) -> frozenset[str]:
    try:
        return frozenset(sorted(os.listdir(folder)))  # noqa: PTH208 - names, not paths
    except OSError:
        return frozenset()


def _package_roots(folder: Path) -> Iterator[Path]:
    """The folder that a file's top package lies in."""
    inside = False
    while "__init__.py" in _listing(str(folder)) and folder != folder.parent:
        folder = folder.parent
        inside = True
    if inside:
        yield folder
