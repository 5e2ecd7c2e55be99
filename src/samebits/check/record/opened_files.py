"""Which files a run read and wrote, by Python's own audit events; digests are taken at the end."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from samebits.check.record.databases import (
    DatabaseBefore,
    database_before,
    database_path,
    is_as_it_was,
)
from samebits.check.record.processes.origin import ONLY_ASKING
from samebits.check.record.renames import final_name
from samebits.check.record.sources import library_folders
from samebits.check.record.working_folder import absolute
from samebits.core.interposition.copied_files import is_in_the_making, original_of

_WRITING = frozenset("wax+")
_DIGEST_BUDGET = 2 * 2**30  # bytes that the digests of one run may read
_MOST_FILES = 10_000
_NOT_DIGESTED = "not-digested"
_CODE = (".py", ".pyc", ".so")
_CHANGING = {
    "os.link": 2,
    "os.remove": 1,
    "os.rename": 2,
    "os.rmdir": 1,
    "os.symlink": 2,
    "os.truncate": 1,
    "sqlite3.connect": 1,
}
"""Audit events that change what other processes see → how many paths they name first."""
_KEEPING = frozenset({"os.link", "os.rename", "os.symlink", "sqlite3.connect"})
"""Of these, those after which what was in a file can still be read, by this name or another."""
_REACHING_OUT = frozenset(
    {"os.exec", "os.posix_spawn", "os.system", "socket.bind", "subprocess.Popen"}
)


class OpenedFiles:
    """Notes every regular file that the process opens, installed code and devices aside.

    Args:
        ignore: Folders whose files are samebits' own.
        on_saved: Called with the path of each file that is saved without an audit event.
    """

    def __init__(
        self, ignore: tuple[str, ...], on_saved: Callable[[str], None] | None = None
    ) -> None:
        self._on_saved = on_saved
        self._read: dict[str, None] = {}
        self._written: dict[str, None] = {}
        self._renames: dict[str, str] = {}
        self._changed: dict[str, None] = {}
        self._found: dict[str, bool] = {}  # whether it was opened to be read
        self._begins: dict[str, int] = {}
        self._order: dict[str, None] = {}  # what was written, first of all by name
        self._databases: dict[str, DatabaseBefore] = {}
        self._looking: int | None = None  # the thread in which a database is read for the record
        self._reached: set[str] = set()
        self._process = os.getpid()
        self._on = True
        own = [os.path.join(os.path.realpath(folder), "") for folder in ignore]
        self._ignore = (*library_folders(), *own, "/proc/", "/sys/", "/dev/")
        sys.addaudithook(self._heard)

    def stop(self) -> None:
        """Listen no more (an audit hook cannot be removed)."""
        self._on = False

    def _heard(self, event: str, args: tuple[Any, ...]) -> None:
        if not self._on or threading.get_ident() == self._looking:
            return
        if event != "open":
            if event == "sqlite3.connect" and os.getpid() == self._process:
                self._connects(args[0])
            if event in _CHANGING:
                self._note_changed(args[: _CHANGING[event]], keeps=event in _KEEPING)
            elif event in _REACHING_OUT and os.getpid() == self._process:
                asks = event == "subprocess.Popen" and Path(str(args[0])).name in ONLY_ASKING
                if not asks:
                    self._reached.add(event)
            if event == "os.rename" and os.getpid() == self._process:
                self._renamed(args[0], args[1])
            return
        path, mode, flags = args
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not isinstance(path, str) or os.getpid() != self._process:
            return
        if mode is None:
            writes = bool(flags & (os.O_WRONLY | os.O_RDWR))
            keeps = not flags & os.O_TRUNC
        else:
            writes = not _WRITING.isdisjoint(mode)
            keeps = "a" in mode or "r" in mode
        if not writes and path.endswith(_CODE) and path.startswith(self._ignore):
            return  # of the thousands that an import opens; the environment names the version
        # Relative paths mean something now; the working directory may change.
        full = absolute(path)
        if is_in_the_making(full):
            return
        reads = not writes or bool(flags & os.O_RDWR)
        if full in self._found:
            self._found[full] |= reads
        if keeps and not any(full in seen for seen in (self._read, self._written, self._changed)):
            self._note_found(full, read=reads)
        seen = self._written if writes else self._read
        if not writes and full not in seen and not Path(full).is_file():
            return  # Python tells before it opens: what is not there will not be read
        if len(seen) < _MOST_FILES:
            if writes and full not in seen:
                self._order[full] = None
                self._begins[full] = _size(full) if _only_adds(mode, flags) else 0
            seen[full] = None

    def _note_found(self, path: str, *, read: bool) -> None:
        if len(self._found) < _MOST_FILES and Path(path).exists():
            self._found[path] = read

    def saved(self, path: str) -> None:
        """Note a file that a library wrote without an audit event."""
        if len(self._changed) < _MOST_FILES:
            self._changed[path] = None
            self._order[path] = None
        if self._on_saved is not None:
            self._on_saved(path)

    def _renamed(self, source: Any, target: Any) -> None:
        """What was written under a temporary name counts under the one that it is given.

        The old names stay as well: nobody says whether the renaming succeeds. At the end a name
        counts where a file is.
        """
        before, after = (absolute(os.fsdecode(path)) for path in (source, target))
        if len(self._renames) < _MOST_FILES:
            self._renames[before] = after
        moved = [before] if before in self._written else []
        if Path(before).is_dir():
            below = before + os.sep
            moved += [path for path in self._written if path.startswith(below)]
        for path in moved:
            name = after + path[len(before) :]
            self._begins[name] = self._begins.get(path, 0)
            self._written[name] = None

    def _connects(self, database: Any) -> None:
        """What is in a database before the script opens it for the first time."""
        path = database_path(database)
        if path is None or len(self._databases) >= _MOST_FILES:
            return
        full = os.path.realpath(absolute(path))
        if full in self._databases:
            return
        if full in self._written and original_of(full) == full:  # all of it is the run's own
            self._databases[full] = DatabaseBefore(None, Counter())
            return
        self._order[full] = None
        self._looking = threading.get_ident()
        try:
            self._databases[full] = database_before(full)
        finally:
            self._looking = None

    def _note_changed(self, paths: tuple[Any, ...], *, keeps: bool) -> None:
        if os.getpid() != self._process or len(self._changed) >= _MOST_FILES:
            return
        for number, path in enumerate(paths):
            if isinstance(path, str | bytes | os.PathLike):
                full = absolute(os.fsdecode(path))
                own = full in self._written or full in self._changed
                if keeps and number == 0 and not own:
                    self._note_found(full, read=True)
                self._changed[full] = None

    def changed(self) -> dict[str, list[str]]:
        """What two such processes at the same time could disturb each other by.

        Returns:
            `paths`: files and folders that were written, linked, renamed or removed, sorted,
            whether they are there still or not; `found`: those of them that were opened to be read
            or added to while they were as the process had found them, sorted; `added`: those of
            the latter that were never opened to be read; `beyond`: audit events that reach beyond
            files ("socket.bind", "subprocess.Popen"), sorted.
        """
        paths = {*self._changed, *self._written}
        kept = sorted(path for path in paths if not path.startswith(self._ignore))
        found = [path for path in kept if path in self._found]
        added = [path for path in found if not self._found[path]]
        beyond = sorted(self._reached)
        return {"paths": kept, "found": found, "added": added, "beyond": beyond}

    def final_name(self, path: str) -> str:
        """The name that a file was given last, itself or with a folder above it."""
        return final_name(path, self._renames)

    @property
    def renames(self) -> dict[str, str]:
        """Absolute path → the name that what lay there was given."""
        return dict(self._renames)

    def inputs(self) -> list[dict[str, Any]]:
        """What was read and not written: `{path, size, sha256}`, sorted by path.

        Past two gigabytes in all, a file's digest is the text "not-digested".
        """
        budget = _DIGEST_BUDGET
        found = []
        for path in sorted(self._read.keys() - self._written.keys()):
            if path.endswith(_CODE) or not self._counts(path):
                continue
            size = os.path.getsize(path)
            budget -= size
            digest = file_digest(path, "sha256") if budget >= 0 else _NOT_DIGESTED
            found.append({"path": path, "size": size, "sha256": digest})
        return found

    def written(self) -> list[str]:
        """Regular files that were opened for writing and are still there, sorted."""
        return sorted(path for path in self._written if self._counts(path))

    def databases(self) -> dict[str, DatabaseBefore]:
        """SQLite's databases that the process has changed and are still there: as they were."""
        return {
            name: before
            for path, before in self._databases.items()
            if self._counts(name := self.final_name(path)) and not is_as_it_was(name, before)
        }

    def order(self) -> dict[str, int]:
        """Which file was written first, by the names that the files have at the end."""
        names = dict.fromkeys(original_of(self.final_name(path)) for path in self._order)
        return {name: number for number, name in enumerate(names)}

    def begin(self, path: str) -> int:
        """Where a written file's own part begins: what it was added to is of earlier runs."""
        return self._begins.get(path, 0)

    def _counts(self, path: str) -> bool:
        real = os.path.realpath(path)
        return not real.startswith(self._ignore) and os.path.isfile(real)


def _only_adds(mode: str | None, flags: int) -> bool:
    return bool(flags & os.O_APPEND) if mode is None else "a" in mode


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


def file_digest(path: str | os.PathLike[str], algorithm: str) -> str:
    """A file's digest in hexadecimal; "unreadable" when it is gone or forbidden by now."""
    digest = hashlib.new(algorithm)
    try:
        with Path(path).open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError:
        return "unreadable"
    return digest.hexdigest()
