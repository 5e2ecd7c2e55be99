"""What became of each variation, as rows of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from samebits.check.report.printable import printable_name, printable_text
from samebits.check.report.source import place_text

_RESULTS = {
    "same": "same",
    "different": "different",
    "failed": "failed",
    "not-applicable": "not applicable",
}


@dataclass(frozen=True, kw_only=True)
class VariationRow:
    """One variation; every field is ready to print.

    Attributes:
        name: "threads".
        verdict: "same", "different", "failed" or "not-applicable", for colours.
        result: The same in words.
        what: What was changed; where the run parts and what that means; or why there is nothing
            to say. Sentences.
    """

    name: str
    verdict: str
    result: str
    what: tuple[str, ...]


def variation_rows(variations: tuple[Mapping[str, Any], ...]) -> tuple[VariationRow, ...]:
    """The rows of a verdict's `variations`."""
    return tuple(_row(entry) for entry in variations)


def diverged_names(variations: tuple[Mapping[str, Any], ...]) -> list[str]:
    """Names of the variations under which the runs diverge."""
    return [
        printable_name(entry["name"])
        for entry in variations
        if entry["verdict"] in ("different", "failed")
    ]


def _row(entry: Mapping[str, Any]) -> VariationRow:
    verdict = str(entry["verdict"])
    found = entry.get("first_divergence")
    what = [] if found is None else [_divergence(found)]
    for key in ("meaning", "reason"):
        if entry.get(key):
            what.append(printable_text(str(entry[key])))
    return VariationRow(
        name=printable_name(entry["name"]),
        verdict=verdict,
        result=_RESULTS.get(verdict, printable_name(verdict)),
        what=tuple(what) or (printable_text(str(entry.get("what", ""))),),
    )


def _divergence(found: Mapping[str, Any]) -> str:
    if found["kind"] in ("exit", "printed"):
        return printable_text(str(found["detail"]))
    text = f"diverges at {printable_name(found['op'])}, step {found['step']}"
    if found.get("file") and found.get("line") is not None:
        text += f", {place_text(str(found['file']), int(found['line']))}"
    return text
