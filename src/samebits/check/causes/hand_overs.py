"""Lines that hand weights to a thread or process, and do not wait for what becomes of them."""

from __future__ import annotations

import ast

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.core.source.statement import called, scope_around

_WAITING = frozenset({"get", "join", "result", "wait"})


def handed_over(evidence: Evidence) -> LedgerPair | None:
    """The first line that handed weights over, which may have been trained while they were read.

    Args:
        evidence: What both runs have noted up to where they diverge.
    """
    entries = (entry for entry in evidence.between if entry.row.source == "hand-over")
    return next(
        (entry for entry in entries if entry.place and trained_meanwhile(*entry.place)), None
    )


def trained_meanwhile(file: str, line: int) -> bool:
    """Whether weights that a line hands over may be trained while the other side reads them.

    Args:
        file: The file.
        line: A line that hands weights over.
    """
    return not _waits_at_once(file, line)


def _waits_at_once(file: str, line: int) -> bool:
    """Whether a line waits for what it has begun, or one after it, before weights are stepped."""
    found = scope_around(file, line)
    if found is None:
        return False
    scope, statement = found
    if _waits(statement.node):
        return True
    names = _kept_under(statement.node)
    given = _read_in(statement.node)
    for following in _after(scope, statement.node) if names else ():
        read = _read_in(following)
        if not names.isdisjoint(read):
            if _waits(following):
                return True
            if _steps(following):
                return False
            names |= _kept_under(following)  # such as a list that it is appended to
            continue
        if _steps(following) or not given.isdisjoint(read):
            return False  # what was handed over may be trained there
    return False


def _waits(node: ast.stmt) -> bool:
    """Whether a statement waits, or a loop does in its body that trains nothing."""
    waits = any(called(part) in _WAITING for part in ast.walk(node))
    return waits and not _steps(node)


def _steps(node: ast.AST) -> bool:
    return any(called(part) == "step" for part in ast.walk(node))


def _read_in(node: ast.AST) -> set[str]:
    return {
        ast.unparse(part)
        for part in ast.walk(node)
        if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Load)
    }


def _kept_under(node: ast.stmt) -> set[str]:
    """What a statement stores something under, or appends it to."""
    match node:
        case ast.Assign(targets=targets):
            kept = [part for target in targets for part in getattr(target, "elts", [target])]
            names = (part for part in kept if isinstance(part, ast.Name | ast.Attribute))
            return {ast.unparse(part) for part in names}
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=holder, attr="append"))):
            return {ast.unparse(holder)}
    return set()


def _after(scope: ast.AST, node: ast.stmt) -> list[ast.stmt]:
    """The statements that follow one in its block, and those that follow a loop which it ends."""
    for outer in ast.walk(scope):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(outer, name, None)
            if isinstance(block, list) and node in block:
                following: list[ast.stmt] = block[block.index(node) + 1 :]
                if isinstance(outer, ast.For | ast.While) and not _steps(outer):
                    return [*following, *_after(scope, outer)]
                return following
    return []
