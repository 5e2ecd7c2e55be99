"""Which file a copy was made of, in this process, where a run works on copies."""

from __future__ import annotations

import os

_ORIGINALS: dict[str, str] = {}
_COPIES: dict[str, str] = {}
_FOLDERS: set[str] = set()


def note_folder(folder: str) -> None:
    """Remember where copies are made.

    Args:
        folder: Absolute path of a folder in which nothing else lies.
    """
    _FOLDERS.add(folder)


def is_in_the_making(path: str) -> bool:
    """Whether a file is a copy, and not all of it is there: the script has not got it yet."""
    return path.rpartition(os.sep)[0] in _FOLDERS and path not in _ORIGINALS


def note_copy(copy: str, original: str) -> None:
    """Remember what a copy stands for.

    Args:
        copy: Absolute path of the copy.
        original: Absolute path of the file that the script asked for.
    """
    _ORIGINALS[copy] = original
    _COPIES[original] = copy


def original_of(path: str) -> str:
    """The file that a copy was made of; the path itself where it is no copy."""
    return _ORIGINALS.get(path, path)


def copy_of(path: str) -> str:
    """The copy that stands for a file in this run; the path itself where there is none.

    Args:
        path: Absolute path.
    """
    return _COPIES.get(os.path.realpath(path), path)
