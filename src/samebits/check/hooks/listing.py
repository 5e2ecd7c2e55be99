"""Listings: the entries of a directory come sorted, or in an order that a seed decides."""

from __future__ import annotations

import hashlib
import os
import pathlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from samebits.core.interposition import Hook
from samebits.core.interposition.callers import caller_module
from samebits.core.interposition.hook import Function
from samebits.core.setting import Setting

_IMPORTING = frozenset(("_frozen_importlib_external", "importlib._bootstrap_external"))
"""Who lists folders to look names up in them: no order comes of that."""


class ListingHook(Hook):
    """Orders what os.listdir, os.scandir, os.walk, glob and Path.iterdir give.

    Settings:
        order: "sorted", or "permuted" by the names and the seed.
        seed: Decides the permutation.
        sites: Acts at these lines alone.
    """

    name: ClassVar[str] = "listing"
    defaults: ClassVar[Mapping[str, Setting]] = {"order": "sorted", "seed": 0}

    def put_in_place(self) -> None:
        """Stand in for the two functions that everything else asks."""
        self.replace(os, "listdir", self._listdir)
        self.replace(os, "scandir", self._scandir)
        # Some versions of Python keep the two under names of their own: 3.10 here, 3.13 in glob.
        self._replace_in(getattr(pathlib, "_NormalAccessor", None))
        self.when_imported("glob", self._glob_imported)

    def _glob_imported(self) -> None:
        import glob

        self._replace_in(getattr(glob, "_StringGlobber", None))

    def _replace_in(self, holder: type | None) -> None:
        if holder is not None:
            self.replace(holder, "listdir", self._listdir)
            self.replace(holder, "scandir", self._scandir)

    def _ordered(self, entries: list[Any], name_of: Callable[[Any], Any]) -> list[Any]:
        if len(entries) > 1:
            self.acted += 1
        if self.settings["order"] == "sorted":
            return sorted(entries, key=lambda entry: os.fsencode(name_of(entry)))
        permuted = sorted(entries, key=lambda entry: self._rank(name_of(entry)))
        # Chance may give the order that was there; another one is what was asked for.
        return permuted if permuted != entries else permuted[::-1]

    def _rank(self, name: Any) -> bytes:
        return hashlib.blake2b(f"{self.settings['seed']}/".encode() + os.fsencode(name)).digest()

    def _listdir(self, original: Function) -> Function:
        def listdir(*args: Any, **kwargs: Any) -> list[Any]:
            entries: list[Any] = original(*args, **kwargs)
            if caller_module() in _IMPORTING:
                return entries
            return self._ordered(entries, lambda name: name)

        return listdir

    def _scandir(self, original: Function) -> Function:
        def scandir(*args: Any, **kwargs: Any) -> _Entries:
            with original(*args, **kwargs) as entries:
                return _Entries(self._ordered(list(entries), lambda entry: entry.name))

        return scandir


class _Entries:
    """What os.scandir returns: an iterator that can be closed, and a context manager."""

    def __init__(self, entries: list[os.DirEntry[Any]]) -> None:
        self._entries: Iterator[os.DirEntry[Any]] = iter(entries)

    def __iter__(self) -> _Entries:
        return self

    def __next__(self) -> os.DirEntry[Any]:
        return next(self._entries)

    def close(self) -> None:
        """Give no more entries."""
        self._entries = iter(())

    def __enter__(self) -> _Entries:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
