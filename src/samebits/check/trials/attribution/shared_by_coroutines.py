"""Coroutines that share a seeded generator: who draws which numbers goes by whose wait ends first.

Both runs draw the same numbers in the same order, and so the ledgers agree. What gives it away is
the source: a line of an `async def` draws after the function has waited for something.
"""

from __future__ import annotations

import ast

from samebits.check.causes.evidence import Evidence
from samebits.check.causes.shared_generators import pauses
from samebits.check.diff.ledger_pairs import GENERATORS, LedgerPair
from samebits.check.diff.verdict import PLAIN_ARGUMENTS, Cause, Divergence
from samebits.check.trials.attribution.culprit import of_entry
from samebits.core.counted import how_often
from samebits.core.source.expressions import root_name
from samebits.core.source.statement import called, own_nodes, scope_around, statements_in

_WAITS = (ast.Await, ast.AsyncFor, ast.AsyncWith)
_RUN_ON_THEIR_OWN = ("thread", "process", "timer", "network")
"""What a coroutine can wait for that is ready sooner or later by its pace."""
_STARTING = frozenset({"TaskGroup", "as_completed", "create_task", "ensure_future", "gather"})
_MADE_BY = frozenset({"Generator", "Random", "RandomState", "default_rng"})
_FIX = (
    "Draw before the first await, where coroutines run in the order in which they were started, "
    "and pass on what was drawn. Or give each task a generator of its own, made of its number: "
    "np.random.default_rng([seed, task])."
)
_FIX_FOR_PAUSES = (
    "How often a pause is drawn goes by what is ready when, and what is drawn from the same "
    "generator afterwards moves with it. Draw pauses from a generator that nothing else draws "
    "from, such as pauses = random.Random(), which needs no seed: no result is made of them."
)


def generator_of_all_coroutines(evidence: Evidence, *, here: bool = False) -> Cause | None:
    """The line that draws from a generator which coroutines share, after they have waited.

    Args:
        evidence: What both runs have noted up to where they diverge.
        here: Whether the notes alone must show it: the line where the runs diverge reads what was
            drawn, in the same function, or they drew there more often in one run.

    Returns:
        None where no data differ, where nothing runs beside the coroutines, or where something was
        drawn without a seed or seeded otherwise.
    """
    found = evidence.found
    if not (found.data or found.detail == PLAIN_ARGUMENTS) or found.process:
        return None
    if evidence.unseeded or evidence.other_seeds or not evidence.of(*_RUN_ON_THEIR_OWN):
        return None
    for entry in evidence.of(*GENERATORS):
        if entry.row.event != "draw" or entry.row.process or entry.internal or entry.place is None:
            continue
        coroutine = _draws_after_a_wait(*entry.place)
        if coroutine is None:
            continue
        if here and not (_goes_into(entry.place, found) or _drew_more_often(entry)):
            continue
        if not _runs_beside_others(entry.place[0]):
            continue
        place = of_entry(entry)
        return Cause(
            code="thread-timing",
            detail=entry.row.source,
            file=place.file,
            line=place.line,
            evidence=f"{coroutine.name} waits for something before it draws here. Several such "
            "coroutines that draw from one generator do so in the order in which their waits end, "
            f"which is not the same in every run: {_what_of_it(entry)}.",
            fix=_FIX_FOR_PAUSES if pauses(*entry.place) else _FIX,
            confidence="likely",
        )
    return None


def _drew_more_often(entry: LedgerPair) -> bool:
    """Whether a seeded generator was asked here more often in one run, so that the next moves."""
    return entry.other is not None and entry.row.calls != entry.other.calls


def _what_of_it(entry: LedgerPair) -> str:
    if entry.other is None or not _drew_more_often(entry):
        return "each gets other numbers then"
    return (
        f"each gets other numbers then, and so does whatever draws afterwards. They drew here "
        f"{how_often(entry.row.calls)} in run A and {how_often(entry.other.calls)} in run B"
    )


def _draws_after_a_wait(file: str, line: int) -> ast.AsyncFunctionDef | None:
    """The coroutine that draws at a line after it has waited; None where none does."""
    found = scope_around(file, line)
    if found is None:
        return None
    coroutine, statement = found
    if not isinstance(coroutine, ast.AsyncFunctionDef):
        return None
    own = list(own_nodes(coroutine.body))
    begun = [node.lineno for node in own if isinstance(node, _WAITS)]
    loops = [node for node in own if isinstance(node, ast.For | ast.AsyncFor | ast.While)]
    around = [one for one in loops if one.lineno <= line <= (one.end_lineno or one.lineno)]
    waited = any(at < statement.node.lineno for at in begun) or any(
        one.lineno <= at <= (one.end_lineno or one.lineno) for one in around for at in begun
    )
    made = {
        target.id
        for node in own
        if isinstance(node, ast.Assign) and called(node.value) in _MADE_BY
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    drawn_from = {
        root_name(node.func) for node in statement.expressions() if isinstance(node, ast.Call)
    }
    return coroutine if waited and not made & drawn_from else None


def _goes_into(drawn: tuple[str, int], found: Divergence) -> bool:
    """Whether the line that diverges stands in the same function and reads what was drawn."""
    around, at = scope_around(*drawn), scope_around(found.file, found.line)
    if around is None or at is None or drawn[0] != found.file or around[0] is not at[0]:
        return False
    stored = {
        node.id
        for node in ast.walk(around[1].node)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    read = {node.id for node in at[1].expressions() if isinstance(node, ast.Name)}
    return around[1].node is at[1].node or not stored.isdisjoint(read)


def _runs_beside_others(file: str) -> bool:
    """Whether the file starts several coroutines at a time."""
    return any(
        called(node) in _STARTING
        for statement in statements_in(file)
        for node in statement.expressions()
    )
