"""A run's ledger as JSON, schema `samebits.ledger/1`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from samebits.check.trace.rows import LedgerRow

SCHEMA = "samebits.ledger/1"


def render_ledger_json(folder: str, rows: Sequence[LedgerRow]) -> str:
    """All rows of a ledger as JSON: ASCII, digests as 16 hexadecimal digits, a final newline.

    Args:
        folder: The run folder, as it was named.
        rows: As `Trace.ledger` gives them.
    """
    entries = []
    for row in rows:
        entry = asdict(row)
        entry.pop("site")
        entry["file"] = row.site.file if row.site is not None else None
        entry["line"] = row.site.line if row.site is not None else None
        entry["function"] = row.site.function if row.site is not None else None
        for name in ("digest", "order_free"):
            entry[name] = f"{entry[name]:016x}" if entry[name] else None
        entries.append(entry)
    content = {"schema": SCHEMA, "folder": folder, "rows": entries}
    return json.dumps(content, indent=1, ensure_ascii=True) + "\n"
