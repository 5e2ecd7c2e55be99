"""Files: what the script finds on disk is not changed by the run before."""

from __future__ import annotations

import atexit
import builtins
import contextlib
import hashlib
import io
import os
import shutil
import stat
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from samebits.core.interposition import Hook, UserLines
from samebits.core.interposition.copied_files import note_copy, note_folder
from samebits.core.interposition.hook import Function
from samebits.core.setting import Setting

_WRITING = frozenset("wax+")
_WRITING_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_TRUNC
_MADE = ".made"
"""Ends the names of links that say what this run, its children included, has made anew."""
_WAS = ".was"
"""Ends the names of links that say which folders were there before and were removed with all."""
_NO_FILE = (":memory:", "")
"""Databases that live in memory, or in a file without a name."""
_URI = 7
"""The position of `uri` among the arguments of `sqlite3.connect`."""
_OF_PACKAGES = ("/site-packages/", "/dist-packages/")
_SYSTEM = ("/proc/", "/sys/", "/dev/", "/etc/")


class FilesHook(Hook):
    """Keeps what a run writes into files that were there before for this run alone.

    The first time that the script opens such a file for writing, it gets a copy, and so does
    everything that opens, replaces or removes the file by the same name afterwards in this run.
    The file itself stays as it is, so that the next run starts from the same. Files and folders
    that the run makes anew are really made, so that they can be listed and read by programs, and
    taken away when it ends. Installed code and the system's files are left alone.

    It acts on functions of Python, on `torch.save` and on `sqlite3.connect`; a library that opens
    files by itself in C reaches the file. A process that ends by `os._exit` takes nothing away.

    Settings:
        sites: Acts at these lines alone.
        absent: Absolute paths of files that the run is not to find, though they are there. It may
            make them anew, for itself alone. Listings of folders still name them.
    """

    name: ClassVar[str] = "files"
    defaults: ClassVar[Mapping[str, Setting]] = {"absent": []}

    def __init__(self, settings: Mapping[str, Setting], lines: UserLines) -> None:
        super().__init__(settings, lines)
        self._busy = threading.local()
        self._process = os.getpid()
        self._stat: Function = os.stat
        prefixes = (sys.prefix, sys.base_prefix)
        self._installed = tuple({f"{os.path.realpath(path)}/" for path in prefixes})
        # A link that stands beside these may lead to the user's own files.
        kinds = ("stdlib", "platstdlib", "purelib", "platlib")
        self._libraries = tuple({f"{sysconfig.get_path(kind)}/" for kind in kinds})

    def put_in_place(self) -> None:
        """Stand in for what opens, asks for, replaces and removes files by name."""
        # Its name is never seen by the script, and is the same for forked children.
        self._folder = os.path.realpath(tempfile.mkdtemp(prefix="samebits-files-"))
        note_folder(self._folder)
        atexit.register(self._clean)
        for path in self.settings["absent"]:
            self._hide(os.path.realpath(path))
        for owner in (builtins, io):
            self.replace(owner, "open", self._open)
        self.replace(os, "open", self._os_open)
        for name in ("stat", "lstat", "access"):
            self.replace(os, name, self._asking)
        for name in ("truncate", "utime", "chmod"):
            self.replace(os, name, self._changing)
        for name in ("remove", "unlink"):
            self.replace(os, name, self._remove)
        for name in ("rename", "replace"):
            self.replace(os, name, self._move)
        self.replace(os, "mkdir", self._mkdir)
        self.replace(shutil, "rmtree", self._rmtree)
        self.when_imported("torch", self._torch_imported)
        self.replace_sqlite_connect(self._connect)

    def remove(self) -> None:
        """Forget the copies."""
        super().remove()
        self._clean()

    def end(self) -> None:
        """Clean up; the replacements stay, so that threads do not reach the files themselves."""
        self._clean()

    def _clean(self) -> None:
        if os.getpid() == self._process:
            self._take_away()
            shutil.rmtree(self._folder, ignore_errors=True)

    def _take_away(self) -> None:
        """Remove what this run has made anew: the next one would find it."""
        were = set(self._marked(_WAS))
        # What lies in a folder comes before the folder.
        for path in sorted(self._marked(_MADE), reverse=True):
            if not were.isdisjoint((path, *path.parents)):
                continue  # made again, where there had been a folder that is gone for good
            if os.path.realpath(path.parent) != str(path.parent):
                continue  # behind a link that has taken the place of a folder
            with contextlib.suppress(OSError):
                # A folder that still holds something is not removed.
                path.rmdir() if path.is_dir() else path.unlink()

    def _marked(self, ending: str) -> Iterator[Path]:
        for mark in Path(self._folder).glob("*" + ending):
            with contextlib.suppress(OSError):
                yield mark.readlink()

    def _torch_imported(self) -> None:
        from torch import serialization

        # The archive is written in C++, which opens the file by itself.
        writer = getattr(serialization, "_open_zipfile_writer_file", None)
        if writer is not None:
            self.replace(writer, "__init__", self._writer_init)

    def _hide(self, real: str) -> None:
        copy = self._name_of(real)
        Path(copy + ".gone").touch()
        note_copy(copy, real)

    def _copy_of(self, path: Any, *, writes: bool, makes: bool = False) -> str | None:
        """The copy that stands for a path; None where the path stands for itself.

        Args:
            path: What the script gave.
            writes: Whether the file will not be the same afterwards.
            makes: Whether it will be there afterwards, if it was not before.
        """
        if getattr(self._busy, "on", False):
            return None  # os.path and shutil, at work for this hook
        self._busy.on = True
        try:
            return self._copy(path, writes=writes, makes=makes)
        finally:
            self._busy.on = False

    def _copy(self, path: Any, *, writes: bool, makes: bool) -> str | None:
        real = self._real(path)
        if real is None:
            return None
        copy = self._name_of(real)
        if self._is_file(copy) or self._is_file(copy + ".gone"):
            note_copy(copy, real)  # another process may have made it
            return copy
        if not (writes or makes) or Path(copy + _MADE).is_symlink():
            return None
        if not self._is_file(real):
            if makes and not os.path.lexists(real):
                # Another thread or child, just now; or the run has ended, and a child goes on.
                with contextlib.suppress(OSError):
                    Path(copy + _MADE).symlink_to(real)
            return None
        if not writes:
            return None
        self.acted += 1
        shutil.copy2(real, copy)
        note_copy(copy, real)
        return copy

    def _name_of(self, real: str) -> str:
        return f"{self._folder}/{hashlib.sha1(os.fsencode(real)).hexdigest()}"

    def _real(self, path: Any) -> str | None:
        """The file that a path leads to, where it is one of the user's."""
        try:
            name = os.fsdecode(path)
        except TypeError:
            return None  # a descriptor
        if name.startswith(self._libraries) and "/../" not in name:
            # Imports ask for tens of thousands of these: each would take a question to the system
            # for every folder above it.
            return None
        real = os.path.realpath(name)
        # `open` stands under several names, and each of them may ask for what the other opens.
        if real.startswith((*_SYSTEM, *self._installed, f"{self._folder}/")):
            return None
        if any(folder in real for folder in _OF_PACKAGES) or not self._is_the_scripts():
            return None
        return real

    def _is_the_scripts(self) -> bool:
        """Whether the script asks, or a library for it, and not the recording."""
        frame = sys._getframe(1)
        while frame is not None and _is_own(frame):
            frame = frame.f_back  # type: ignore[assignment]
        while frame is not None:
            if _is_own(frame):
                return False
            if self._lines.is_users(frame):
                return True
            frame = frame.f_back  # type: ignore[assignment]
        return False

    def _is_file(self, path: str) -> bool:
        try:
            return stat.S_ISREG(self._stat(path).st_mode)
        except (OSError, ValueError):
            return False

    def _open(self, original: Function) -> Function:
        def open_(file: Any, mode: Any = "r", *args: Any, **kwargs: Any) -> Any:
            writes = isinstance(mode, str) and not _WRITING.isdisjoint(mode)
            copy = self._copy_of(file, writes=writes, makes=writes)
            if copy is None:
                return original(file, mode, *args, **kwargs)
            if writes:
                _forget_removal(copy)
            return original(copy, mode, *args, **kwargs)

        return open_

    def _os_open(self, original: Function) -> Function:
        def open_(path: Any, flags: int, *args: Any, **kwargs: Any) -> Any:
            if kwargs.get("dir_fd") is not None:
                return original(path, flags, *args, **kwargs)
            writes = bool(flags & _WRITING_FLAGS)
            copy = self._copy_of(path, writes=writes, makes=bool(flags & os.O_CREAT))
            if copy is not None and flags & os.O_CREAT:
                _forget_removal(copy)
            return original(path if copy is None else copy, flags, *args, **kwargs)

        return open_

    def _asking(self, original: Function) -> Function:
        return self._by_name(original, writes=False)

    def _changing(self, original: Function) -> Function:
        return self._by_name(original, writes=True)

    def _by_name(self, original: Function, *, writes: bool) -> Function:
        def by_name(path: Any, *args: Any, **kwargs: Any) -> Any:
            copy = None
            if kwargs.get("dir_fd") is None:
                copy = self._copy_of(path, writes=writes)
            return original(path if copy is None else copy, *args, **kwargs)

        return by_name

    def _remove(self, original: Function) -> Function:
        def remove(path: Any, *args: Any, **kwargs: Any) -> None:
            copy = None
            if kwargs.get("dir_fd") is None:
                copy = self._copy_of(path, writes=True)
            original(path if copy is None else copy, *args, **kwargs)
            if copy is not None:
                Path(copy + ".gone").touch()

        return remove

    def _mkdir(self, original: Function) -> Function:
        def mkdir(path: Any, *args: Any, **kwargs: Any) -> None:
            original(path, *args, **kwargs)
            if kwargs.get("dir_fd") is not None or getattr(self._busy, "on", False):
                return
            self._busy.on = True
            try:
                real = self._real(path)
                if real is not None:
                    with contextlib.suppress(FileExistsError):  # made before, and removed
                        Path(self._name_of(real) + _MADE).symlink_to(real)
            finally:
                self._busy.on = False

        return mkdir

    def _rmtree(self, original: Function) -> Function:
        def rmtree(path: Any, *args: Any, **kwargs: Any) -> None:
            if not getattr(self._busy, "on", False) and kwargs.get("dir_fd") is None:
                self._note_removed_folder(path)
            original(path, *args, **kwargs)

        # Asked for by tempfile and by scripts.
        rmtree.avoids_symlink_attacks = original.avoids_symlink_attacks  # type: ignore[attr-defined]
        return rmtree

    def _note_removed_folder(self, path: Any) -> None:
        self._busy.on = True
        try:
            real = self._real(path)
            if real is None or not Path(real).is_dir():
                return
            name = self._name_of(real)
            if not Path(name + _MADE).is_symlink():
                with contextlib.suppress(FileExistsError):
                    Path(name + _WAS).symlink_to(real)
        finally:
            self._busy.on = False

    def _note_moved_folder(self, source: Any, target: Any) -> None:
        """What a folder holds that this run has made goes by its new name from here on."""
        self._busy.on = True
        try:
            before, after = self._real(source), self._real(target)
            if before is None or after is None or not Path(after).is_dir():
                return
            if not Path(self._name_of(before) + _MADE).is_symlink():
                return
            for path in (Path(after), *Path(after).rglob("*")):
                was = str(Path(before, path.relative_to(after)))
                # What the run has not made may lie in a folder that it has.
                if Path(self._name_of(was) + _MADE).is_symlink():
                    with contextlib.suppress(FileExistsError):
                        Path(self._name_of(str(path)) + _MADE).symlink_to(path)
        finally:
            self._busy.on = False

    def _move(self, original: Function) -> Function:
        def move(source: Any, target: Any, **kwargs: Any) -> None:
            if kwargs:
                original(source, target, **kwargs)
                return
            before = self._copy_of(source, writes=True)
            after = self._copy_of(target, writes=True, makes=True)
            if before is None and after is None:
                original(source, target)
                if not getattr(self._busy, "on", False):
                    self._note_moved_folder(source, target)
                return
            # The copies may lie on another disk.
            self._busy.on = True
            try:
                shutil.move(before or os.fspath(source), after or os.fspath(target))
            finally:
                self._busy.on = False
            if after is not None:
                _forget_removal(after)
            if before is not None:
                Path(before + ".gone").touch()

        return move

    def _writer_init(self, original: Function) -> Function:
        def init(writer: Any, name: Any, *args: Any, **kwargs: Any) -> None:
            copy = self._copy_of(name, writes=True, makes=True)
            if copy is not None:
                _forget_removal(copy)
            original(writer, name if copy is None else copy, *args, **kwargs)

        return init

    def _connect(self, original: Function) -> Function:
        def connect(database: Any, *args: Any, **kwargs: Any) -> Any:
            is_address = kwargs.get("uri") or args[_URI - 1 : _URI] == (True,)
            copy = None
            if not is_address and database not in _NO_FILE:
                # Asking makes the file, and locks it; nobody can tell which connections write.
                copy = self._copy_of(database, writes=True, makes=True)
            return original(database if copy is None else copy, *args, **kwargs)

        return connect


def _is_own(frame: Any) -> bool:
    return str(frame.f_globals.get("__name__") or "").startswith("samebits.")


def _forget_removal(copy: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        Path(copy + ".gone").unlink()
