"""Brings run folders from elsewhere to this machine: by any URL that fsspec can read."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from samebits.check.trace.urls import file_system, is_url, reason
from samebits.core.names import printable
from samebits.errors import SamebitsError, TraceError

_MOST_FILES = 1_000_000

_copies: dict[str, Path] = {}
"""URL → the copy of what lies there, while `fetched` lasts."""


@contextlib.contextmanager
def fetched(places: Iterable[str], *, only: Collection[str] = ()) -> Iterator[None]:
    """Within the block, run folders at URLs are opened like any other; paths are left alone.

    A verdict names them by their URL, and so do messages: where the copies lie is of no interest.
    Only what is named here is fetched: a URL in a file that somebody has sent is not followed.

    Args:
        places: Paths and URLs, as a person has named them.
        only: As for `fetch_folder`.

    Raises:
        TraceError: A URL cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="samebits-") as parent:
        known = list(_copies)
        try:
            for place in places:
                if is_url(place) and place not in _copies:
                    copy = Path(parent, str(len(_copies)))
                    _copies[place] = fetch_folder(place, copy, only=only)
            yield
        except SamebitsError as error:
            for url, copy in _copies.items():
                error.message = error.message.replace(str(copy), printable(url))
            raise
        finally:
            for url in _copies.keys() - known:
                del _copies[url]


def folder_of(place: str | os.PathLike[str]) -> Path:
    """Where a run folder can be read: its copy where it was fetched, else the path itself."""
    name = os.fspath(place)
    for url, copy in _copies.items():
        if name == url:
            return copy
        if name.startswith(f"{url.rstrip('/')}/"):
            return copy / name.removeprefix(url.rstrip("/")).lstrip("/")
    return Path(place)


def place_of(folder: Path) -> str:
    """What a person calls a folder: its URL where it was fetched, else its path."""
    for url, copy in _copies.items():
        if folder == copy:
            return url
        if folder.is_relative_to(copy):
            return f"{url.rstrip('/')}/{folder.relative_to(copy).as_posix()}"
    return str(folder)


def fetch_folder(url: str, into: Path, *, only: Collection[str] = ()) -> Path:
    """Copy a folder from elsewhere.

    Args:
        url: As fsspec has it: "s3://bucket/run", "sftp://host/run", "zip://run::parts.zip".
        into: A folder on this machine, new or empty.
        only: Names of the files to copy. Of the others there is the length alone (they are sparse
            files), so that a list of runs can be made of a few kilobytes.

    Returns:
        The same folder.

    Raises:
        TraceError: It cannot be read, or there is nothing.
    """
    shown = printable(url, 300)
    try:
        files, root = file_system(url)
        sizes = {name: int(facts.get("size") or 0) for name, facts in _found(files, root).items()}
        found = list(_files(list(sizes), root, shown))
        for name, relative in found:
            target = into / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            if only and relative.name not in only:
                target.touch()
                os.truncate(target, sizes[name])
            else:
                files.get_file(name, str(target))
    except TraceError:
        raise
    except Exception as error:  # each kind of storage has errors of its own
        raise TraceError(
            f"cannot read {shown}: {reason(error)}",
            hint="See that the address is right and that this machine may read it, or copy the "
            "folder here and name its path.",
        ) from None
    if not found:
        raise TraceError(
            f"{shown} holds no file", hint="Give the URL of a run folder: with a manifest.json."
        )
    return into


def _found(files: Any, root: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = files.find(root, detail=True)
    return found


def _files(names: list[str], root: str, shown: str) -> Iterator[tuple[str, PurePosixPath]]:
    """Files with their places below the folder; none may lie outside it."""
    if len(names) > _MOST_FILES:
        raise TraceError(f"{shown} holds more than {_MOST_FILES:,} files: it is no run folder")
    start = root.rstrip("/")
    for name in names:
        relative = name.removeprefix(start).lstrip("/")
        parts = relative.split("/")
        if not name.startswith(start) or any(
            part in ("", ".", "..") or "\\" in part or ":" in part or "\0" in part for part in parts
        ):
            raise TraceError(
                f"{shown} holds a file with an odd name: {printable(name, 100)}",
                hint="Give the URL of a run folder that samebits recorded.",
            )
        yield name, PurePosixPath(*parts)
