"""A run's ledger as JSON, schema `samebits.ledger/1`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from samebits.check.trace.rows import LedgerRow

SCHEMA = "samebits.ledger/1"


def render_ledger_json(folder: str, ledgers: Mapping[str, Sequence[LedgerRow]]) -> str:
    """All rows of a run's ledgers as JSON: ASCII, digests as 16 hexadecimal digits.

    Args:
        folder: The run folder, as it was named.
        ledgers: What a process is called, "" for the script's own → as `Trace.ledger` gives them.
    """
    entries = []
    for name, row in ((name, row) for name, rows in ledgers.items() for row in rows):
        entry = {**asdict(row), "of": name}
        entry.pop("site")
        entry["file"] = row.site.file if row.site is not None else None
        entry["line"] = row.site.line if row.site is not None else None
        entry["function"] = row.site.function if row.site is not None else None
        for name in ("digest", "order_free"):
            entry[name] = f"{entry[name]:016x}" if entry[name] else None
        entries.append(entry)
    content = {"schema": SCHEMA, "folder": folder, "rows": entries}
    return json.dumps(content, indent=1, ensure_ascii=True) + "\n"
