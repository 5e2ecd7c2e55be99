"""The causes that a verdict can name: what causes.toml says of them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from samebits.core.catalog.tables import read_table


@dataclass(frozen=True, kw_only=True)
class CauseFacts:
    """One entry of causes.toml.

    Attributes:
        code: As verdicts name it: "unseeded-rng".
        meaning: What the code stands for.
        look: Where to look, or what to write.
    """

    code: str
    meaning: str
    look: str


@functools.cache
def causes() -> tuple[CauseFacts, ...]:
    """Every entry of causes.toml, in its order."""
    return tuple(CauseFacts(**entry) for entry in read_table("cause"))
