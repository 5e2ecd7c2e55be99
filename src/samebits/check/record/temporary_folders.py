"""Takes away temporary folders that would be gone at the end of a process that is ended early."""

from __future__ import annotations

import contextlib
import sys
import weakref
from typing import Any

_CLEANUP = ("tempfile", "TemporaryDirectory._cleanup")


def remove_temporary_folders() -> None:
    """Remove the folders of `TemporaryDirectory` that this process has made and not removed yet.

    The end of the process would. A next run that gives them the same names would find them, and
    they would fill the disk. Where Python keeps its finalizers elsewhere, the folders stay.
    """
    shutil: Any = sys.modules.get("shutil")
    if shutil is None or "tempfile" not in sys.modules:
        return
    for finalizer in list(getattr(weakref.finalize, "_registry", ())):
        with contextlib.suppress(Exception):
            found = finalizer.peek()
            if found is None or not finalizer.atexit:
                continue
            _, function, arguments, options = found
            name = (function.__module__, function.__qualname__)
            if name == _CLEANUP and options.get("delete", True):
                shutil.rmtree(arguments[0], ignore_errors=True)
