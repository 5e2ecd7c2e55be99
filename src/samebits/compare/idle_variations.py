"""Variations that found nothing to vary: they prove nothing, and a verdict must say so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from samebits.compare.verdict import Verdict
from samebits.control import variations

_NOT_APPLICABLE = "not-applicable"


def with_idle_told(verdict: Verdict) -> Verdict:
    """The verdict with variations that had nothing to act on as not applicable.

    Where that leaves none that was applied, a note says that nothing was varied.

    Args:
        verdict: What a check came to.
    """
    entries = tuple(map(_told, verdict.variations))
    notes = verdict.notes
    if entries and all(entry["verdict"] == _NOT_APPLICABLE for entry in entries):
        names = ", ".join(str(entry["name"]) for entry in entries)
        notes = (*notes, f"nothing was varied: what was asked for ({names}) is not applicable")
    return replace(verdict, variations=entries, notes=notes)


def _told(entry: Mapping[str, Any]) -> dict[str, Any]:
    idle = entry["verdict"] == "same" and entry["reason"] in _reasons()
    return {**entry, "verdict": _NOT_APPLICABLE} if idle else dict(entry)


def _reasons() -> set[str]:
    """What variations say that found nothing to act on."""
    return {variations.named(name).idle or "" for name in variations.names()} - {""}
