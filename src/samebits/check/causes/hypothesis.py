"""What may have made two runs diverge, before further runs have been asked."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from samebits.check.diff.ledger_pairs import LedgerPair


class Standing(enum.IntEnum):
    """How much speaks for a hypothesis; those of equal standing are tried in the causes' order."""

    FAINT = 1
    """It is not excluded: it is pinned together with everything else."""
    POSSIBLE = 2
    """Nothing speaks against it: it is pinned alone, after what has more for it."""
    NOTED = 3
    """What the two runs have noted differs, in a way that would explain the divergence."""
    SHOWN = 4
    """The operation that diverges shows it."""


@dataclass(frozen=True, kw_only=True)
class Hypothesis:
    """One aspect of a run that may be to blame.

    Attributes:
        pin: The pin that keeps it still: "seeds".
        code: The cause that it would be.
        detail: Which one, such as "numpy".
        standing: How much speaks for it.
        entries: What speaks for it in the ledger, in the order in which it happened.
        beside: Pins without which its own could show nothing here.
    """

    pin: str
    code: str
    detail: str = ""
    standing: Standing
    entries: Sequence[LedgerPair] = ()
    beside: frozenset[str] = frozenset()

    @property
    def is_evident(self) -> bool:
        """Whether the runs' own notes speak for it: without, it is only not excluded."""
        return bool(self.entries) or self.code == "uninitialized-memory"
