"""Whether two runs have written the same into a file, by what each has noted of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def hold_the_same(file: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two files agree, or do but for the names that each run has for itself.

    Of two runs that add a row to one table, only the first writes the line with the columns' names.

    Args:
        file: An entry of a manifest's `files` or `process_files`.
        other: That of another run.
    """
    if file["kind"] != other["kind"]:
        return False
    if file["digest"] == other["digest"] or _agree(file, other, "anonymous"):
        return True
    return file.get("added") != other.get("added") and _agree(file, other, "rows")


def differ_by_run_names(file: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two texts differ in nothing but what may be what each run is called."""
    return file["kind"] == other["kind"] and _agree(file, other, "unnamed")


def _agree(file: Mapping[str, Any], other: Mapping[str, Any], digest: str) -> bool:
    held = file.get(digest)
    return bool(held) and held == other.get(digest)
