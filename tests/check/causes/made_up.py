"""Divergences and entries of a ledger, made up."""

from __future__ import annotations

from typing import Any

from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.rows import LedgerRow, Site


def divergence(**changes: Any) -> Divergence:
    facts: dict[str, Any] = {
        "kind": "output",
        "step": 0,
        "phase": "setup",
        "op": "aten.lift_fresh",
        "file": "train.py",
        "line": 20,
        "rows": (7, 7),
        "data": True,
        "detail": "it differs",
    }
    return Divergence(**{**facts, **changes})


def entry(source: str, event: str = "read", line: int = 5, **changes: Any) -> LedgerPair:
    """An entry of the ledger that both runs have; `other_digest` for one that differs."""
    other_digest = changes.pop("other_digest", changes.get("digest", 1))
    facts: dict[str, Any] = {
        "source": source,
        "event": event,
        "detail": source,
        "site": Site("train.py", line, "main", ""),
        "digest": 1,
        **changes,
    }
    origin = facts.pop("origin_row", None)
    row = LedgerRow(**facts)
    return LedgerPair(row=row, other=LedgerRow(**{**facts, "digest": other_digest}), origin=origin)
