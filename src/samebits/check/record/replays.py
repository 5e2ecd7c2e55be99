"""What repeating one operation gave, as the process that asked for it reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Replays:
    """How often repeating an operation gave how many different results.

    Attributes:
        op: The operation's name.
        repeats: Circumstances → how often it was run in them: "as-is", "deterministic"
            (`torch.use_deterministic_algorithms`), "one-thread".
        results: Circumstances → how many different results that gave.
        refused: Circumstances → the error that running the operation in them raised.
    """

    op: str
    repeats: Mapping[str, int]
    results: Mapping[str, int]
    refused: Mapping[str, str]

    @property
    def differs(self) -> bool:
        """Whether the same inputs gave more than one result."""
        return self.results.get("as-is", 1) > 1

    def settled_by(self, circumstances: str) -> bool:
        """Whether it gave one result only in these circumstances, and more as it is."""
        return self.differs and self.results.get(circumstances) == 1

    @classmethod
    def from_json(cls, text: str) -> Replays:
        """Read what `replay` wrote."""
        return cls(**json.loads(text))
