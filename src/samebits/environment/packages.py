"""Installed packages, each with a digest over what it installed."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from importlib import metadata
from typing import Any
from urllib.parse import urlsplit, urlunsplit

# Written by the installer on each machine anew, or dependent on where the environment lies.
_OF_THE_INSTALLER = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json"}


def installed_packages(path: Iterable[str] | None = None) -> dict[str, dict[str, Any]]:
    """Every installed distribution, by its normalised name.

    Args:
        path: Folders to look in; `sys.path` unless given. Nothing in them is imported.

    Returns:
        Name → `{version, files}`. `files` is a digest over the names and hashes of the installed
        files as the package's RECORD lists them (compiled Python, scripts and the installer's own
        notes left out, since they depend on the place), and None for a package without hashes,
        such as one installed in editable mode.
    """
    found: dict[str, dict[str, Any]] = {}
    distributions = (
        metadata.distributions() if path is None else metadata.distributions(path=list(path))
    )
    for distribution in distributions:
        headers = _headers(distribution)
        name = normalised(headers.get("Name") or "")
        # Of two entries of one name the first on the path is what an import finds.
        if name and name not in found:
            found[name] = {
                "version": headers.get("Version") or "unknown",
                "files": files_digest(distribution.read_text("RECORD")),
            }
    return dict(sorted(found.items()))


def _headers(distribution: metadata.Distribution) -> dict[str, str]:
    """A distribution's core metadata up to the description; of a repeated header, the first.

    `Distribution.metadata` parses the whole text anew each time; with a hundred packages installed
    that is a tenth of what a recorded run of a short script takes.
    """
    found: dict[str, str] = {}
    for file in ("METADATA", "PKG-INFO", ""):  # "" is an egg's single file
        text = distribution.read_text(file)
        if text:
            for line in text.lstrip().splitlines():
                if not line:
                    break
                header, colon, value = line.partition(":")
                if colon and not header[:1].isspace():
                    found.setdefault(header.title(), value.strip())
            break
    return found


def normalised(name: str) -> str:
    """A distribution's name as package indexes compare it: Py.Arrow_x is py-arrow-x (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def packages_in_no_index(path: Iterable[str] | None = None) -> dict[str, str]:
    """Packages that no index has: those installed from a folder of sources or from a repository.

    Args:
        path: Folders to look in; `sys.path` unless given.

    Returns:
        Normalised name → where the sources are: the repository with its commit, "" for a folder,
        whose path means nothing elsewhere.
    """
    distributions = (
        metadata.distributions() if path is None else metadata.distributions(path=list(path))
    )
    found: dict[str, str] = {}
    for distribution in distributions:
        name = _headers(distribution).get("Name")
        origin = _origin(distribution.read_text("direct_url.json"))
        if name and origin is not None:
            found.setdefault(normalised(name), origin)
    return found


def _origin(text: str | None) -> str | None:
    """What PEP 610's direct_url.json says of a folder or a repository; None for anything else."""
    try:
        content = json.loads(text or "")
        if "dir_info" in content:
            return ""
        found = content["vcs_info"]
        return f"{found['vcs']}+{_without_secrets(content['url'])}@{found['commit_id']}"
    except (ValueError, KeyError, TypeError):
        return None


def _without_secrets(url: str) -> str:
    """An address without the user and the token that may stand before its host."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def files_digest(record: str | None) -> str | None:
    """Sixteen hexadecimal digits over the lines of a RECORD that do not depend on the place."""
    if not record:
        return None
    lines = sorted(_hashed_files(record))
    if not lines:
        return None
    return hashlib.sha256("\n".join(lines).encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _hashed_files(record: str) -> Iterator[str]:
    try:
        # Half of the rows are compiled Python, without a hash.
        lines = [line for line in record.splitlines() if line[-2:] != ",,"]
        # Without quotes commas only separate, and the csv module's care is not needed.
        rows = csv.reader(lines) if '"' in record else (line.split(",") for line in lines)
        for row in rows:
            if len(row) < 2 or not row[1] or row[0].startswith(("..", "/")):
                continue
            name = row[0].rpartition("/")[2]
            if not name.endswith(".pyc") and name not in _OF_THE_INSTALLER:
                yield f"{row[0]},{row[1]}"
    except csv.Error:
        return
