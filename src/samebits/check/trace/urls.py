"""Places that are named by a URL: which are, and how fsspec reaches them."""

from __future__ import annotations

import importlib
import re
from typing import Any

from samebits.core.names import printable
from samebits.errors import TraceError

# A path that has passed through pathlib has one slash left.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(:/|::)")


def is_url(place: str) -> bool:
    """Whether a place is named by a URL, such as "s3://bucket/run", and not by a path."""
    return _URL.match(place) is not None


def file_system(url: str) -> tuple[Any, str]:
    """The file system that a URL is on, and the path that it has there.

    Args:
        url: As fsspec has it: "s3://bucket/run", "memory://run", "zip://run::parts.zip".

    Raises:
        TraceError: fsspec is not installed. What fsspec raises is not caught here.
    """
    try:
        core: Any = importlib.import_module("fsspec.core")
    except ImportError:
        raise TraceError(
            f"cannot reach {printable(url, 300)}: fsspec is not installed",
            hint="pip install fsspec, or name a path on this machine.",
        ) from None
    files, root = core.url_to_fs(url)
    return files, str(root)


def reason(error: Exception) -> str:
    """Why a URL could not be read or written, in the words of its kind of storage."""
    return printable(str(error) or type(error).__name__, 300)
