"""Brings run folders from elsewhere to this machine: by any URL that fsspec can read."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from samebits.core.names import printable
from samebits.errors import TraceError

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|[A-Za-z][A-Za-z0-9+.-]+::")
_MOST_FILES = 1_000_000


def is_url(place: str) -> bool:
    """Whether a place is named by a URL, such as "s3://bucket/run", and not by a path."""
    return _URL.match(place) is not None


def fetch_folder(url: str, into: Path) -> Path:
    """Copy a folder from elsewhere.

    Args:
        url: As fsspec has it: "s3://bucket/run", "sftp://host/run", "zip://run::parts.zip".
        into: A folder on this machine, new or empty.

    Returns:
        The same folder.

    Raises:
        TraceError: It cannot be read, or there is nothing.
    """
    shown = printable(url, 300)
    try:
        core: Any = importlib.import_module("fsspec.core")
    except ImportError:
        raise TraceError(
            f"cannot read {shown}: fsspec is not installed",
            hint="pip install fsspec, or copy the folder to this machine and name its path.",
        ) from None
    try:
        files, root = core.url_to_fs(url)
        found = list(_files(files.find(root), root, shown))
        for name, relative in found:
            target = into / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            files.get_file(name, str(target))
    except TraceError:
        raise
    except Exception as error:  # each kind of storage has errors of its own
        raise TraceError(
            f"cannot read {shown}: {printable(str(error) or type(error).__name__, 300)}",
            hint="See that the address is right and that this machine may read it, or copy the "
            "folder here and name its path.",
        ) from None
    if not found:
        raise TraceError(
            f"{shown} holds no file", hint="Give the URL of a run folder: with a manifest.json."
        )
    return into


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
