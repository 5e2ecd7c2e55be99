"""Answers to remote calls that differ: what runs on behalf of others is not recorded, its code is.

torch's RPC runs what it was asked for in threads of C++, as requests come.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.ledger_pairing import is_of_an_import
from samebits.check.diff.ledger_pairs import ENTROPY, GENERATORS, LedgerPair
from samebits.check.diff.verdict import Cause
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.wording import shown_place
from samebits.core.names import printable
from samebits.core.source.files import read_source
from samebits.core.source.statement import called

_CALLS = frozenset({"remote", "rpc_async", "rpc_sync"})
_LOOPS = (ast.For, ast.AsyncFor)


def by_requests(situation: Situation, evidence: Evidence) -> Cause | None:
    """The remote function whose answers go by the order in which requests come.

    Args:
        situation: Where the two runs diverge.
        evidence: What they have noted up to there.

    Returns:
        None where the function that diverges makes no remote call, or where a process of the runs
        has noted anything that could explain the answer otherwise.
    """
    found = situation.closer
    started = any(entry.row.source == "process" for entry in evidence.starts)
    if not (found.data and started and found.file and found.function):
        return None
    tree = _tree(found.file)
    if tree is None or any(map(_may_vary, situation.traces)):
        return None
    asked = [name for node in _functions(tree, found.function) for name in _asked_for(node)]
    answering = next((node for name in asked for node in _functions(tree, name)), None)
    if not asked:
        return None
    name = printable(asked[0], 60)
    line = found.line if answering is None else _walks_what_came(answering) or answering.lineno
    place = Culprit(file=found.file, line=line, operation="rpc")
    return Cause(
        code="process-timing",
        detail=name,
        file=found.file,
        line=line,
        evidence=f"{shown_place(found.file, found.line or 0)} uses an answer of {name}, called by "
        "RPC, that is not the same in both runs, although this process did the same before. What "
        f"{name} does is not recorded; it runs as requests of several processes come.",
        fix=fix("process-timing", place, frozenset()),
        confidence="likely",
        process=found.process,
    )


def _tree(file: str) -> ast.Module | None:
    text = read_source(file)
    try:
        return None if text is None else ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _functions(tree: ast.AST, name: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            yield node


def _asked_for(function: ast.AST) -> Iterator[str]:
    """Names of functions that are called in another process: the second argument of the call."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Call) or called(node) not in _CALLS or len(node.args) < 2:
            continue
        target = node.args[1]
        if isinstance(target, ast.Name):
            yield target.id
        elif isinstance(target, ast.Attribute):
            yield target.attr


def _walks_what_came(function: ast.AST) -> int | None:
    """The loop over a container that the function itself fills: that has the order of arrival."""
    filled = {name for node in ast.walk(function) if (name := _filled(node)) is not None}
    for node in ast.walk(function):
        if not isinstance(node, _LOOPS):
            continue
        inside = list(ast.walk(node.iter))
        sorts = any(called(one) == "sorted" for one in inside if isinstance(one, ast.Call))
        if not sorts and any(isinstance(one, ast.Name) and one.id in filled for one in inside):
            return node.lineno
    return None


def _filled(node: ast.AST) -> str | None:
    """What an item is put into: `received[worker] = ...` or `received.append(...)`."""
    stored = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    appended = isinstance(node, ast.Attribute) and node.attr == "append"
    if not isinstance(node, ast.Subscript | ast.Attribute) or not (stored or appended):
        return None
    return node.value.id if isinstance(node.value, ast.Name) else None


def _may_vary(trace: Trace) -> bool:
    """Whether any process of a run has read or drawn what is another one in every run."""
    return any(_is_telling(LedgerPair(row=row)) for row in trace.ledger())


def _is_telling(entry: LedgerPair) -> bool:
    if entry.internal or is_of_an_import(entry.row):
        return False
    unseeded = entry.row.source in GENERATORS and entry.unseeded
    return unseeded or entry.row.source in ("clock", "network", *ENTROPY)
