"""Files and folders that were given another name: what lies below a folder goes with it."""

from __future__ import annotations

import os
from collections.abc import Mapping


def final_name(path: str, renames: Mapping[str, str]) -> str:
    """The name that a file was given last, itself or with a folder above it.

    A folder may have had its name before another one took that (an earlier run's results, put out
    of the way): what is there under its own name goes by that.

    Args:
        path: Absolute path.
        renames: Absolute path → the name that what lay there was given.
    """
    seen = {path}
    while (after := _renamed(path, renames)) is not None and after not in seen:
        seen.add(after)
        path = after
    return path


def _renamed(path: str, renames: Mapping[str, str]) -> str | None:
    if path in renames:
        return renames[path]
    folder = os.path.dirname(path)
    while folder not in renames:
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return None if os.path.lexists(path) else renames[folder] + path[len(folder) :]
