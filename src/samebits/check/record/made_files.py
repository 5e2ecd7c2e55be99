"""Which files and folders a run makes itself, written down one by one as it makes them.

A proof of a resume takes the first run's files out of the second one's way. Only what a process of
that run was seen to make is taken: a file that lies there afterwards and did not before may be
somebody else's.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence, Set
from pathlib import Path
from typing import Any

from samebits.check.record.plan import RecordedProcess

_WRITING = frozenset("wax+")
_NO_FOLDER = -1  # what an audit event says where paths begin at the working directory


def note_made_files(process: RecordedProcess) -> Callable[[str], None] | None:
    """Begin to note what this process makes, where its launcher asks for that.

    Returns:
        What to call with the path of each file that is saved without an audit event.
    """
    if not process.plan.note_made_files:
        return None
    return MadeFiles(process.made_files, (process.folder, process.workspace)).saved


class MadeFiles:
    """Listens to Python's audit events and appends to a file what this process makes.

    Each line stands there before the file itself does: a kill loses none. Forked children write
    into the same file.

    Args:
        log: The file to append to.
        ignore: Folders whose files are samebits' own.
    """

    def __init__(self, log: Path, ignore: Iterable[str]) -> None:
        self._log = str(log)
        self._ignore = tuple(os.path.join(os.path.realpath(folder), "") for folder in ignore)
        sys.addaudithook(self._heard)

    def saved(self, path: str) -> None:
        """Note a file that was written without an audit event; it may have been there before."""
        with contextlib.suppress(OSError, ValueError):
            self._note("saved", _settled(path))

    def _heard(self, event: str, args: tuple[Any, ...]) -> None:
        # An exception in here would become one of the script's.
        with contextlib.suppress(OSError, ValueError, TypeError, IndexError):
            if event == "open":
                path, mode, flags = args
                made = bool(flags & os.O_CREAT) if mode is None else not _WRITING.isdisjoint(mode)
                if made and isinstance(path, str | bytes):
                    self._made(path)
            elif event == "os.mkdir" and args[2] == _NO_FOLDER:
                self._made(args[0], "folder")
            elif event in ("os.link", "os.symlink") and args[-1] == _NO_FOLDER:
                self._made(args[1])
            elif event in ("os.remove", "os.rmdir") and args[1] == _NO_FOLDER:
                self._note("removed", _settled(args[0]))
            elif event == "sqlite3.connect":
                self._made(args[0])
            elif event == "os.rename" and args[2:] == (_NO_FOLDER, _NO_FOLDER):
                source, target = _settled(args[0]), _settled(args[1])
                self._note("renamed", source, target, os.path.lexists(target))

    def _made(self, path: Any, kind: str = "file") -> None:
        path = _settled(path)
        if not os.path.lexists(path):
            self._note(kind, path)

    def _note(self, kind: str, path: str, *more: Any) -> None:
        if path.startswith((*self._ignore, "/proc/", "/sys/", "/dev/")):
            return
        line = f"{json.dumps([kind, path, *more])}\n".encode()
        descriptor = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)


def _settled(path: Any) -> str:
    """The path with every folder in it looked up, and its own name as it is."""
    folder, name = os.path.split(os.path.abspath(os.fsdecode(path)))
    return os.path.join(os.path.realpath(folder), name)


def read_made(log: Path) -> list[list[Any]]:
    """What `MadeFiles` wrote, in order; empty where there is nothing."""
    try:
        lines = log.read_text().splitlines()
    except OSError:
        return []
    entries = []
    for line in lines:
        with contextlib.suppress(ValueError):  # half a line of a killed process
            entries.append(json.loads(line))
    return entries


def made_paths(entries: Sequence[Sequence[Any]], before: Set[str]) -> list[str]:
    """Files, links and folders that are a run's own, by what it noted.

    A file that was renamed counts under its new name if it was the run's own under the old one, and
    if nothing lay under the new one that was not.

    Args:
        entries: What `read_made` gave.
        before: Paths that lay there before the run; none of them is returned.

    Returns:
        Paths, each after the folder that it lies in. Some may be gone by now.
    """
    made: dict[str, bool] = {}  # path → whether it is a folder
    for kind, path, *more in entries:
        if kind in ("file", "folder", "saved"):
            if path not in before:
                made[path] = kind == "folder"
            continue
        below = path + os.sep
        own = [path] if path in made else []
        own += [one for one in made if one.startswith(below)] if made.get(path) else []
        taken = {one: made.pop(one) for one in own}
        if kind == "renamed" and taken:
            target, was_there = more
            if target not in before and (not was_there or target in made):
                made.update({target + one[len(path) :]: taken[one] for one in own})
    return sorted(made)
