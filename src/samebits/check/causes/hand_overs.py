"""Lines that hand weights to a thread or process, and do not wait for what becomes of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.core.source.statement import called, scope_around

_WAITING = frozenset({"get", "join", "result", "wait"})
_FOR_ALL = frozenset({"as_completed", "gather", "list", "sum", "sorted", "tuple", "wait"})
"""Functions that end when all they are given is there."""
_MAPPING = frozenset({"imap", "map", "starmap"})
_TASK_FIRST = _MAPPING | {"apply_async", "map_async", "submit"}
"""Methods whose first argument is what is to be done."""
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


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
    node = statement.node
    if _waits_itself(node):
        return True
    names, given = _kept_under(node), _given(node)
    while True:
        for following in _after(scope, node):
            if _steps(following):
                return False
            if _waits(following, names):
                return True
            if not names.isdisjoint(_read_in(following)):
                names |= _kept_under(following)  # such as a list that it is appended to
            elif not given.isdisjoint(_read_in(following)):
                return False  # what was handed over may be trained there
        outer = _block_around(scope, node)
        if isinstance(outer, ast.With | ast.AsyncWith) and _leaving_waits(outer):
            return True
        trains = isinstance(outer, _LOOPS) and _may_train(outer, node, given, names)
        if not isinstance(outer, ast.stmt) or isinstance(outer, _FUNCTIONS) or trains:
            return False
        node = outer


def _waits_itself(node: ast.stmt) -> bool:
    """Whether a statement waits for what is handed over in it: `pool.submit(f, x).result()`."""
    for part in ast.walk(node):
        match part:
            case ast.Await():
                return True
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in _WAITING:
                if any(isinstance(one, ast.Call) for one in ast.walk(value)):
                    return True
            case ast.Call(args=[ast.Call() as inner, *_]) if called(part) in _FOR_ALL:
                if called(inner) in _MAPPING:
                    return True
            case ast.For(iter=walked) if called(walked) in _MAPPING:
                return True
    return False


def _waits(node: ast.stmt, names: set[str]) -> bool:
    """Whether a statement waits for what goes by these names; for anything where there are none."""
    of = set(names)
    for part in ast.walk(node):
        if isinstance(part, ast.For | ast.comprehension) and not names.isdisjoint(
            _read_in(part.iter)
        ):
            of.add(ast.unparse(part.target))
    for part in ast.walk(node):
        match part:
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in _WAITING:
                if isinstance(value, ast.Constant) or ast.unparse(value).endswith("path"):
                    continue  # it joins words
                if not names or not of.isdisjoint(_read_in(value)):
                    return True
            case ast.Call(args=[first, *_]) if called(part) in _FOR_ALL - {"list", "tuple"}:
                if not of.isdisjoint(_read_in(first)):
                    return True
    return False


def _leaving_waits(node: ast.With | ast.AsyncWith) -> bool:
    """Whether a block waits at its end for all that was begun in it."""
    return any(called(item.context_expr).endswith("Executor") for item in node.items)


def _may_train(loop: ast.stmt, node: ast.stmt, given: set[str], names: set[str]) -> bool:
    """Whether a loop goes on with what one of its statements hands over."""
    if _steps(loop):
        return True
    return not (given - names).isdisjoint(_read_in(loop, but=node))


def _steps(node: ast.AST) -> bool:
    return any(called(part) == "step" for part in ast.walk(node))


def _given(node: ast.stmt) -> set[str]:
    """The names of what a statement hands over; not of what is to be done with it."""
    given: set[str] = set()
    for part in ast.walk(node):
        if not isinstance(part, ast.Call):
            continue
        first = 1 if called(part) in _TASK_FIRST else 0
        values = [*part.args[first:], *(one.value for one in part.keywords if one.arg != "target")]
        for value in values:
            given |= _read_in(value)
    return given - {"self"}


def _read_in(node: ast.AST, *, but: ast.AST | None = None) -> set[str]:
    left_out = set() if but is None else {id(part) for part in ast.walk(but)}
    return {
        ast.unparse(part)
        for part in ast.walk(node)
        if isinstance(part, ast.Name | ast.Attribute)
        and isinstance(part.ctx, ast.Load)
        and id(part) not in left_out
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
    """The statements that follow one in its block."""
    for _, block in _blocks(scope):
        if node in block:
            return block[block.index(node) + 1 :]
    return []


def _block_around(scope: ast.AST, node: ast.stmt) -> ast.AST | None:
    """The statement in whose block another one stands, inside of a function or module."""
    return next((outer for outer, block in _blocks(scope) if node in block), None)


def _blocks(scope: ast.AST) -> Iterator[tuple[ast.AST, list[ast.stmt]]]:
    for outer in ast.walk(scope):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(outer, name, None)
            if isinstance(block, list):
                yield outer, block
