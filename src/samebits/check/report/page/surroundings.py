"""What surrounded two runs, side by side: the environment and the switches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from samebits.check.report.printable import printable_name, printable_text
from samebits.check.trace.reader import Trace
from samebits.check.trials.manifest_causes import environment_difference


@dataclass(frozen=True, kw_only=True)
class FactRow:
    """A fact that is not the same around both runs; every field is ready to print."""

    fact: str
    a: str
    b: str
    effect: str


def fact_rows(a: Trace, b: Trace) -> tuple[FactRow, ...]:
    """Facts of the environments, and settings of torch, that the two runs do not share.

    Raises:
        TraceError: A manifest is damaged.
    """
    found = environment_difference(a, b)
    rows = [
        FactRow(
            fact=printable_name(one.fact),
            a=_value(one.a),
            b=_value(one.b),
            effect={"changes": "changes bits", "may": "may change bits"}.get(
                one.effect, "harmless"
            ),
        )
        for one in (() if found is None else found.differences)
    ]
    mine, theirs = (dict(_settings(trace.manifest.switches)) for trace in (a, b))
    for name in sorted({*mine, *theirs}):
        if mine.get(name) != theirs.get(name):
            rows.append(
                FactRow(
                    fact=printable_name(name),
                    a=_value(mine.get(name)),
                    b=_value(theirs.get(name)),
                    effect="may change bits",
                )
            )
    return tuple(rows)


def _value(value: Any) -> str:
    return "" if value is None else printable_text(str(value))


def _settings(switches: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of a nested mapping, each with its path."""
    for name, value in switches.items():
        path = f"{before}.{name}" if before else str(name)
        if isinstance(value, Mapping):
            yield from _settings(value, path)
        elif not isinstance(value, (list, tuple)):
            yield path, value
