"""Paths from the working directory, which a script may change and may remove."""

from __future__ import annotations

import os


def _current() -> str:
    try:
        return os.getcwd()
    except OSError:
        return os.sep


_FIRST = _current()


def working_folder() -> str:
    """The working directory; where that is gone, the one that the process began in."""
    try:
        return os.getcwd()
    except OSError:
        return _FIRST


def absolute(path: str) -> str:
    """`os.path.abspath`, also in a working directory that is gone."""
    try:
        return os.path.abspath(path)
    except OSError:
        return os.path.normpath(os.path.join(_FIRST, path))
