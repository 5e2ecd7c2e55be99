"""What runs make in the working folder, set aside so that the next run begins as the first did.

A run that finds the checkpoints of another run would go on from those. So the files that a run was
seen to make are moved away once it has ended, and put back where a run has to find them. A file
that merely appeared meanwhile stays: another process may have written it.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from samebits.check.record.made_files import made_paths
from samebits.errors import RecordError

_IGNORED = frozenset({".git", "__pycache__", ".venv", "node_modules", ".ruff_cache", ".mypy_cache"})
MAX_FILES = 1_000_000
"""Below a folder with more files nothing is told to be new, and nothing is moved."""

MOVED_FILE = "moved-files.jsonl"
"""In the folder of the run folders: a line for each file that is moved, and for its way back."""


@dataclass(frozen=True)
class FolderState:
    """What lay below a folder at one moment.

    Attributes:
        root: The folder, with every link in its path followed.
        ignore: A folder below it that does not count.
        paths: Files, links and folders, by absolute path: (size, time of last change in ns), None
            for folders.
        unread: Folders that could not be looked into.
        complete: False when there were more than `MAX_FILES`.
    """

    root: Path
    ignore: Path
    paths: Mapping[str, tuple[int, int] | None] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    complete: bool = True

    @classmethod
    def take(cls, root: Path, ignore: Path) -> FolderState:
        """Look at a folder.

        Args:
            root: The folder.
            ignore: A folder below it that does not count: where runs are recorded.
        """
        root, ignore = root.resolve(), ignore.resolve()
        paths: dict[str, tuple[int, int] | None] = {}
        unread: list[str] = []

        def failed(error: OSError) -> None:
            unread.append(str(error.filename))

        for folder, names, files in os.walk(root, onerror=failed):
            below = folder.rstrip(os.sep) + os.sep  # a Path each would take most of the time
            paths.update(dict.fromkeys(below + name for name in names))
            for name in files:
                path = below + name
                with contextlib.suppress(FileNotFoundError):  # gone by now: it was there
                    paths[path] = (0, 0)
                    found = os.lstat(path)
                    paths[path] = found.st_size, found.st_mtime_ns
            if len(paths) > MAX_FILES:
                return cls(root, ignore, paths, tuple(unread), complete=False)
            names[:] = [
                name for name in names if name not in _IGNORED and below + name != str(ignore)
            ]
        return cls(root, ignore, paths, tuple(unread))

    def own(self, made: Sequence[Sequence[Any]]) -> list[str]:
        """What a run made below the folder and is there now.

        Args:
            made: What the run noted, begun after this was taken.

        Returns:
            Absolute paths, each after the folder that it lies in; none where the folder was not
            looked through to its end.
        """
        if not self.complete:
            return []
        return [
            path
            for path in made_paths(made, self.paths.keys())
            if self._looked_at(path) and os.path.lexists(path)
        ]

    def appeared(self, before: FolderState, ours: Sequence[str]) -> list[str]:
        """Files that were not there before, `ours` aside; sorted."""
        if not (self.complete and before.complete):
            return []
        fresh = self.paths.keys() - before.paths.keys() - set(ours)
        return sorted(
            path for path in fresh if self.paths[path] is not None and self._looked_at(path)
        )

    def changed_since(self, before: FolderState) -> list[str]:
        """Files that were there before, with other content or gone; sorted.

        Where this command's own output goes does not count.
        """
        return sorted(
            path
            for path, facts in before.paths.items()
            if facts is not None and self.paths.get(path) != facts and not _is_own_output(path)
        )

    def _looked_at(self, path: str) -> bool:
        """Whether it lies where the walk went, under its own name and not behind a link."""
        below = Path(path)
        if not below.is_relative_to(self.root) or os.path.realpath(below.parent) != str(
            below.parent
        ):
            return False
        folders = below.relative_to(self.root).parts[:-1]
        hidden = not _IGNORED.isdisjoint(folders) or below.is_relative_to(self.ignore)
        return not hidden and not any(below.is_relative_to(folder) for folder in self.unread)


def _is_own_output(path: str) -> bool:
    """Whether standard output or standard error of this process go into a file."""
    for stream in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(stream), os.lstat(path)):
                return True
    return False


class SetAside:
    """Files that were moved out of the working folder, and the way back.

    Every move, there and back, is a line of `MOVED_FILE` before it is made.

    Args:
        root: The working folder, with every link in its path followed.
        out: The folder of the run folders, which keeps them.
        name: Of the folder in `out` that they are moved into.
    """

    def __init__(self, root: Path, out: Path, name: str) -> None:
        self._root = root
        self._into = out.resolve() / name
        self._journal = out.resolve() / MOVED_FILE
        self._moved: list[tuple[Path, Path]] = []
        self._folders: list[Path] = []

    def take(self, paths: Sequence[str]) -> None:
        """Move files and links to the same places in the folder; folders left empty are removed.

        Args:
            paths: Of `FolderState.own`.

        Raises:
            RecordError: One cannot be moved; those before it are put back.
        """
        try:
            self._take([Path(path) for path in paths])
        except OSError as error:
            self.put_back()
            raise RecordError(
                f"cannot move {error.filename or 'a file'} to {self._into}: "
                f"{error.strerror or error}",
                hint="The files of the run were put back. Start where they can be moved.",
            ) from error
        except BaseException:
            self.put_back()
            raise

    def _take(self, paths: Sequence[Path]) -> None:
        folders = [path for path in paths if path.is_dir() and not path.is_symlink()]
        for path in paths:
            if path in folders:
                continue
            target = self._into / path.relative_to(self._root)
            target.parent.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(target):
                raise FileExistsError(17, "a file is there already", str(target))
            self._moved.append((path, target))
            # Written first: after a kill in between, the line says where to look.
            self._write_down(path, target)
            shutil.move(path, target)
        for folder in reversed(folders):
            # Not empty is what others have put there.
            with contextlib.suppress(OSError):
                self._folders.append(folder)
                folder.rmdir()

    def _write_down(self, origin: Path, target: Path) -> None:
        with self._journal.open("a") as journal:
            journal.write(json.dumps({"from": str(origin), "to": str(target)}) + "\n")

    def put_back(self) -> list[str]:
        """Move everything back, uninterrupted.

        Returns:
            Where those lie now whose places were taken meanwhile.
        """
        kept: list[str] = []
        with _undisturbed():
            for folder in reversed(self._folders):
                with contextlib.suppress(OSError):
                    folder.mkdir(parents=True, exist_ok=True)
            for path, target in self._moved:
                if not os.path.lexists(target):
                    continue
                try:
                    if os.path.lexists(path):
                        raise FileExistsError(path)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    self._write_down(target, path)
                    shutil.move(target, path)
                except OSError:
                    kept.append(str(target))
            self._moved.clear()
            self._folders.clear()
        return kept


@contextlib.contextmanager
def unwinding_on_signals() -> Iterator[None]:
    """Within the block, SIGTERM and SIGHUP raise SystemExit, so that what must be done is done."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers
        return

    def leave(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    before = {}
    try:
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, leave)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Within the block, signals that end a process wait."""
    waiting = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, waiting)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)
