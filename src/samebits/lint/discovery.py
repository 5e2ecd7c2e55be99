"""Which files are meant by the paths that a person names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from samebits.errors import UsageError
from samebits.lint.config import LintConfig, load_config
from samebits.lint.requirements import is_requirements

SUFFIXES = (".py", ".pyw", ".ipynb")

_SKIPPED = frozenset(
    [
        "__pycache__",
        "build",
        "dist",
        "node_modules",
        "site-packages",
        "venv",
        "_build",
        "__pypackages__",
    ]
)


@dataclass(frozen=True, kw_only=True)
class FileToLint:
    """A file to lint.

    Attributes:
        path: Resolved.
        shown_as: As a person would write it.
        codes: The rules that apply to it.
    """

    path: Path
    shown_as: str
    codes: frozenset[str]


def find_files(
    paths: Iterable[Path],
    *,
    select: tuple[str, ...] | None = None,
    ignore: tuple[str, ...] = (),
) -> list[FileToLint]:
    """Scripts, notebooks and the requirements beside them, each once, sorted by path.

    A file that is named is looked at whatever it is called; below a folder, hidden folders,
    caches, build folders and virtual environments are left out. Links to folders are not followed.

    Args:
        paths: Files and folders.
        select: Selectors that take the place of the configured ones.
        ignore: Selectors to leave out besides the configured ones.

    Raises:
        UsageError: A path does not exist, or a configuration cannot be used.
    """
    found: dict[Path, FileToLint] = {}
    for path in paths:
        if not path.exists():
            raise UsageError(f"there is no {path}", hint="name files or folders to lint")
        resolved = path.resolve()
        config = load_config(resolved)
        config = LintConfig(
            select=config.select if select is None else select,
            ignore=config.ignore + ignore,
            exclude=config.exclude,
            per_file_ignores=config.per_file_ignores,
            root=config.root,
        )
        for file in _files(path):
            key = _resolved(file)
            if key in found or (file != path and config.excludes(key)):
                continue
            found[key] = FileToLint(path=key, shown_as=os.fspath(file), codes=config.codes_for(key))
    return sorted(found.values(), key=lambda file: file.shown_as)


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        yield from _requirements_beside(path)
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _SKIPPED
            and not os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))  # noqa: PTH110, PTH118
        )
        for name in sorted(names):
            file = Path(folder, name)
            if (name.endswith(SUFFIXES) or is_requirements(file)) and file.is_file():
                yield file


def _requirements_beside(path: Path) -> Iterator[Path]:
    if path.suffix not in SUFFIXES:
        return
    for file in sorted(path.parent.glob("*requirements*.txt")):
        if is_requirements(file) and file.is_file():
            yield file


def _resolved(file: Path) -> Path:
    try:
        return file.resolve()
    except (OSError, RuntimeError):  # a loop of links
        return file.absolute()
