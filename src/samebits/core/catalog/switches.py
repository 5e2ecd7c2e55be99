"""Flags, variables and start-up settings: what switches.toml says of them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from samebits.core.catalog.tables import read_table


@dataclass(frozen=True, kw_only=True)
class SwitchFacts:
    """One entry of switches.toml, which explains the fields.

    Attributes:
        name: As reports and `keep=` call it.
        write: What a person writes to set it.
        also: Other names that it is found under.
        does: What it changes.
        when: When it has to be set.
        costs: What it costs.
        conflicts: Where two recommendations do not go together; "" where they do.
        controlled: Whether `samebits run` and `deterministic()` set it.
    """

    name: str
    write: str
    also: tuple[str, ...]
    does: str
    when: str
    costs: str
    conflicts: str = ""
    controlled: bool = True


@functools.cache
def switches() -> tuple[SwitchFacts, ...]:
    """Every entry of switches.toml, in its order."""
    found = []
    for entry in read_table("switch"):
        also = tuple(entry.pop("also"))
        found.append(SwitchFacts(also=also, **entry))
    return tuple(found)
