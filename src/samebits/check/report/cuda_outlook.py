"""The outlook of a verdict, ready to print: what the recorded operations would meet on CUDA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from samebits.check.report.printable import printable_name, printable_text
from samebits.check.report.source import place_text

MAX_OPERATIONS = 8
"""Operations that are shown in full; the verdict file has all of them."""

MAX_PLACES = 3
"""Lines that are shown for one operation."""


@dataclass(frozen=True, kw_only=True)
class OutlookRow:
    """One operation that raises.

    Attributes:
        op: Its name.
        places: Where: "train.py:12 (30 times), train.py:40", or "" where no line is known.
        instead: What to write.
    """

    op: str
    places: str
    instead: str


@dataclass(frozen=True, kw_only=True)
class OutlookView:
    """What would happen on CUDA under deterministic algorithms.

    Attributes:
        headline: Such as "2 operations raise an error".
        rows: Operations that raise.
        more: A sentence about those that raise and are not shown, or "".
        switches: A sentence about those that take another form, or "".
    """

    headline: str
    rows: tuple[OutlookRow, ...]
    more: str
    switches: str


def outlook_view(
    entries: Sequence[Mapping[str, Any]], *, shown: int = MAX_OPERATIONS
) -> OutlookView | None:
    """Turn a verdict's `cuda_outlook` into what is shown; None when it is empty.

    Args:
        entries: The outlook.
        shown: Operations that are shown, of each kind.
    """
    if not entries:
        return None
    raising: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        if entry["status"] == "raises":
            raising.setdefault(entry["op"], []).append(entry)
    rows = [
        OutlookRow(
            op=printable_name(op),
            places=_places(found),
            instead=printable_text(found[0]["instead"]),
        )
        for op, found in raising.items()
    ]
    switching = {entry["op"]: None for entry in entries if entry["status"] == "switches"}
    hidden = len(rows) - shown
    return OutlookView(
        headline=_counted(len(rows), "raises an error", "raise an error"),
        rows=tuple(rows[:shown]),
        more="" if hidden <= 0 else f"{hidden} more: --json FILE lists them all",
        switches=_switching(list(switching), shown),
    )


def _places(entries: Sequence[Mapping[str, Any]]) -> str:
    """The lines, each once: an operation may run at one line in several phases."""
    counts: dict[str, int] = {}
    for entry in entries:
        if entry["file"]:
            place = place_text(entry["file"], entry["line"])
            counts[place] = counts.get(place, 0) + entry["count"]
    shown = [
        place if count == 1 else f"{place} ({count:,} times)"
        for place, count in list(counts.items())[:MAX_PLACES]
    ]
    if len(counts) > MAX_PLACES:
        shown.append(f"{len(counts) - MAX_PLACES} more lines")
    return ", ".join(shown)


def _switching(ops: Sequence[str], shown: int) -> str:
    if not ops:
        return ""
    names = ", ".join(printable_name(op) for op in ops[:shown])
    if len(ops) > shown:
        names += ", ..."
    how = _counted(len(ops), "switches", "switch")
    return f"{how} to a deterministic implementation: {names}"


def _counted(count: int, one: str, many: str) -> str:
    if count == 1:
        return f"1 operation {one}"
    return f"{count or 'no'} operations {many}"
