"""Takes away temporary folders that would be gone at the end of a process that is ended early."""

from __future__ import annotations

import contextlib
import os
import sys
import weakref
from typing import Any

_CLEANUP = ("tempfile", "TemporaryDirectory._cleanup")


class TemporaryFolders:
    """The folders that this process makes by `tempfile`, from here on.

    A script that has removed all of them by its end would do so as well where it is ended early.
    One that has left any may mean them to stay.
    """

    def __init__(self) -> None:
        self._process = os.getpid()
        self._made: dict[str, None] = {}
        sys.addaudithook(self._heard)

    def to_json(self) -> dict[str, int]:
        """How many were made, and how many of them are still there; empty for none."""
        made = {"made": len(self._made), "left": sum(map(os.path.lexists, self._made))}
        return made if self._made else {}

    def remove(self, *, all_of_them: bool) -> None:
        """Remove what the end of the process would have removed, which is not reached any more.

        A next run that gives them the same names would find them, and they would fill the disk.

        Args:
            all_of_them: Whether the script removes by itself what `TemporaryDirectory` does not.
        """
        for folder in (*_waiting_to_be_removed(), *(self._made if all_of_them else ())):
            with contextlib.suppress(Exception):
                sys.modules["shutil"].rmtree(folder, ignore_errors=True)

    def _heard(self, event: str, args: tuple[Any, ...]) -> None:
        if event != "tempfile.mkdtemp" or os.getpid() != self._process:
            return
        # An exception in here would become one of the script's.
        with contextlib.suppress(Exception):
            folder = os.path.abspath(os.fsdecode(args[0]))
            if not os.path.lexists(folder):  # else the name is taken, and another one is tried
                self._made[folder] = None


def _waiting_to_be_removed() -> list[str]:
    """Folders of `TemporaryDirectory`, which may have been made before one could listen.

    Where Python keeps its finalizers elsewhere, there are none.
    """
    if "shutil" not in sys.modules or "tempfile" not in sys.modules:
        return []
    folders = []
    for finalizer in list(getattr(weakref.finalize, "_registry", ())):
        with contextlib.suppress(Exception):
            found = finalizer.peek()
            if found is None or not finalizer.atexit:
                continue
            _, function, arguments, options = found
            name = (function.__module__, function.__qualname__)
            if name == _CLEANUP and options.get("delete", True):
                folders.append(arguments[0])
    return folders
