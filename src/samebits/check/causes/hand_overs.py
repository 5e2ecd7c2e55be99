"""Lines that hand weights to a thread or process, and do not wait for what becomes of them."""

from __future__ import annotations

import ast

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.core.source.statement import Statement, called, scope_around

_WAITING = frozenset({"get", "join", "result", "wait"})


def handed_over(evidence: Evidence) -> LedgerPair | None:
    """The first line that handed weights over, which may have been trained while they were read.

    Args:
        evidence: What both runs have noted up to where they diverge.
    """
    entries = (entry for entry in evidence.between if entry.row.source == "hand-over")
    return next(
        (entry for entry in entries if entry.place and not _waits_at_once(*entry.place)), None
    )


def _waits_at_once(file: str, line: int) -> bool:
    """Whether a line waits for what it has begun, or one after it, before weights are stepped."""
    found = scope_around(file, line)
    if found is None:
        return False
    scope, statement = found
    if _waits(statement):
        return True
    names = _kept_under(statement.node)
    given = _read_in(statement.node)
    for following in _after(scope, statement.node) if names else ():
        after = Statement(following, statement.source)
        reads = (node.id for node in after.expressions() if isinstance(node, ast.Name))
        if _waits(after) and not names.isdisjoint(reads):
            return True
        steps = any(called(node) == "step" for node in ast.walk(following))
        if steps or not given.isdisjoint(_read_in(following)):
            return False  # what was handed over may be trained there
    return False


def _waits(statement: Statement) -> bool:
    return any(called(node) in _WAITING for node in statement.expressions())


def _read_in(node: ast.AST) -> set[str]:
    names = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Load)}


def _kept_under(node: ast.stmt) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _after(scope: ast.AST, node: ast.stmt) -> list[ast.stmt]:
    """The statements that follow one in its block."""
    for outer in ast.walk(scope):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(outer, name, None)
            if isinstance(block, list) and node in block:
                following: list[ast.stmt] = block[block.index(node) + 1 :]
                return following
    return []
