"""A number that one process reads while others change it: what it reads goes by timing."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.writing.only_printed import is_only_printed
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.trials.attribution.culprit import of_entry
from samebits.core.source.statement import statement_at


def read_while_others_write(evidence: Evidence) -> Culprit | None:
    """The line that reads it, and has got something else in the second run.

    Args:
        evidence: What both runs have noted up to where they diverge.

    Returns:
        None where there is none, or where such numbers only count how far the work is: these are
        printed, or added to, and nothing goes by them.
    """
    values: dict[str, list[LedgerPair]] = defaultdict(list)
    for entry in evidence.of("shared-value"):
        values[entry.row.detail].append(entry)
    found = [entry for entries in values.values() for entry in _raced_for(entries)]
    # A worker reads what decides over its work; the process that has started it, how far it is.
    found.sort(key=lambda entry: entry.row.process == 0)
    return of_entry(found[0]) if found else None


def _raced_for(entries: list[LedgerPair]) -> Iterator[LedgerPair]:
    writers = {entry.row.process for entry in entries if entry.row.event == "write"}
    for entry in entries:
        others = writers - {entry.row.process}
        if entry.row.event == "read" and others and entry.changed and _is_used(entry):
            yield entry


def _is_used(entry: LedgerPair) -> bool:
    """Whether what is read there may decide anything."""
    if entry.place is None or is_only_printed(*entry.place):
        return False
    statement = statement_at(*entry.place)
    if statement is None or not isinstance(statement.node, ast.AugAssign):
        return True
    # A counter is read to be moved on by a number of one's own.
    return ast.unparse(statement.node.target) in ast.unparse(statement.node.value)
