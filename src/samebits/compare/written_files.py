"""What runs leave in the working folder, set aside so that the next run begins as the first did.

A run that finds the checkpoints of another run would go on from those. So the files that a run
adds below the working folder are moved away once it has ended, and put back where a run has to
find them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_IGNORED = frozenset({".git", "__pycache__", ".venv", "node_modules", ".ruff_cache", ".mypy_cache"})
MAX_FILES = 200_000
"""Folders with more files are not looked through to their end."""


@dataclass(frozen=True)
class FolderState:
    """The files below a folder at one moment: path → (size, time of last change in ns).

    Attributes:
        root: The folder.
        files: What lay there, by path below the folder.
        complete: False when there were more than `MAX_FILES`.
    """

    root: Path
    files: dict[str, tuple[int, int]] = field(default_factory=dict)
    complete: bool = True

    @classmethod
    def take(cls, root: Path, ignore: Path) -> FolderState:
        """Look at a folder.

        Args:
            root: The folder.
            ignore: A folder below it that does not count: where runs are recorded.
        """
        files: dict[str, tuple[int, int]] = {}
        for path in _walk(root, ignore.resolve()):
            if len(files) >= MAX_FILES:
                return cls(root, files, complete=False)
            found = path.lstat()
            files[str(path.relative_to(root))] = found.st_size, found.st_mtime_ns
        return cls(root, files)

    def added_since(self, before: FolderState) -> list[str]:
        """Paths that were not there before."""
        return [path for path in self.files if path not in before.files]

    def changed_since(self, before: FolderState) -> list[str]:
        """Paths that were there before, with other content or gone."""
        return [path for path, facts in before.files.items() if self.files.get(path) != facts]


def move_out(root: Path, paths: list[str], into: Path) -> None:
    """Move files below `root` to the same places below `into`; folders left empty are removed.

    Raises:
        OSError: A file cannot be moved.
    """
    for path in paths:
        target = into / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(root / path, target)
    for folder in sorted({Path(path).parent for path in paths}, key=lambda p: -len(p.parts)):
        while folder.parts and (root / folder).is_dir() and not any((root / folder).iterdir()):
            (root / folder).rmdir()
            folder = folder.parent


def copy_back(origin: Path, root: Path) -> None:
    """Copy all files below `origin` to the same places below `root`.

    Raises:
        OSError: A file cannot be copied.
    """
    if origin.exists():
        shutil.copytree(origin, root, dirs_exist_ok=True, symlinks=True)


def _walk(root: Path, ignore: Path) -> Iterator[Path]:
    for folder, names, files in os.walk(root):
        here = Path(folder)
        names[:] = sorted(
            name for name in names if name not in _IGNORED and (here / name).resolve() != ignore
        )
        for name in sorted(files):
            yield here / name
