"""Takes away what `tempfile` would take away at the end of a process that is ended early."""

from __future__ import annotations

import contextlib
import gc
import shutil
import sys
from typing import Any


def remove_temporary_files() -> None:
    """Remove the temporary folders and files that this process has made and not removed yet.

    They are those of `TemporaryDirectory` and `NamedTemporaryFile`, which remove them when they are
    left or at the end of the process, and the folder that `multiprocessing` keeps for itself. A
    next run that gives them the same names would find them, and they would fill the disk.
    """
    for found in _temporary(sys.modules.get("tempfile")):
        with contextlib.suppress(Exception):
            if hasattr(found, "cleanup"):
                if found._finalizer.alive and getattr(found, "_delete", True):
                    found.cleanup()
            elif found.delete:
                found.close()
    process: Any = sys.modules.get("multiprocessing.process")
    with contextlib.suppress(Exception):
        folder = process.current_process()._config.get("tempdir")
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _temporary(tempfile: Any) -> list[Any]:
    """All objects of the module's classes; there may be millions of others."""
    if tempfile is None:
        return []
    kinds = {tempfile.TemporaryDirectory, getattr(tempfile, "_TemporaryFileWrapper", None)}
    return [found for found in gc.get_objects() if type(found) in kinds]
