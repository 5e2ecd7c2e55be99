"""A line that waits for a limited time only: in an event loop, or on a queue."""

from __future__ import annotations

import ast

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.pace import (
    WAITING_NO_LONGER,
    limits_of_waiting,
    waits_no_longer,
)
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.trials.attribution import culprit
from samebits.core.source.statement import called, enclosing_statements, statement_at

_GENEROUS_S = 5.0
"""Whoever writes down a longer time means an error."""


def only_deadline(evidence: Evidence) -> Culprit | None:
    """The line that set a short deadline for what it waits for; None where not one line did.

    A line that only lets a time pass (`sleep`) decides nothing by itself. Whether a deadline ever
    ran out is not noted, so that a cause at such a line is never proved.
    """
    found: dict[tuple[str, int], Culprit] = {}
    for entry in (*evidence.of("timer", "clock"), *evidence.starts):
        if entry.place is not None and _gives_up(entry, *entry.place):
            found.setdefault(entry.place, culprit.of_entry(entry))
    return next(iter(found.values())) if len(found) == 1 else None


def _gives_up(entry: LedgerPair, file: str, line: int) -> bool:
    """Whether a line waits for a short time at most, and the script goes on when that is up.

    A queue that is waited for with a limit asks the clock when it is up.
    """
    statement = statement_at(file, line)
    if statement is None or entry.row.source not in ("timer", "clock"):
        return False
    if entry.row.source == "timer":
        return any(map(_is_short, statement.expressions()))
    if not entry.internal or not waits_no_longer(statement, file, line) or _asks_again(file, line):
        return False
    given = (one.value for one in limits_of_waiting(statement) if isinstance(one, ast.Constant))
    return not any(isinstance(one, int | float) and one >= _GENEROUS_S for one in given)


def _asks_again(file: str, line: int) -> bool:
    """Whether a loop waits once more when the time is up, so that the time decides nothing."""
    handlers = [
        handler
        for one in enclosing_statements(file, line)
        if isinstance(one.node, ast.Try)
        for handler in one.node.handlers
    ]
    return any(isinstance(node, ast.Continue) for one in handlers for node in ast.walk(one))


def _is_short(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or called(node) not in WAITING_NO_LONGER:
        return False
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    numbers = (one.value for one in given if isinstance(one, ast.Constant))
    return any(isinstance(one, int | float) and 0 < one < _GENEROUS_S for one in numbers)
