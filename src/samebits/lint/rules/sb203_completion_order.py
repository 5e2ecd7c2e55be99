"""SB203: results taken in the order in which they happen to be ready."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import argument
from samebits.core.source.order import COLLECTING, order_matters
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_FUNCTIONS = frozenset(
    {"concurrent.futures.as_completed", "asyncio.as_completed", "distributed.as_completed"}
)
# Methods that call back when a task is done → the place of the function among the arguments.
_CALLBACKS = {
    "add_done_callback": ("fn", 0),
    "apply_async": ("callback", 3),
    "map_async": ("callback", 3),
    "starmap_async": ("callback", 3),
}


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if method in _CALLBACKS:
        called_back = argument(node, *_CALLBACKS[method])
        if called_back is not None and _collects(called_back):
            yield Objection(
                node=node,
                message=f"{method}() collects results as they happen to be ready",
                remedy="keep what the call returns, and take the results from those in order",
            )
        return
    if name not in _FUNCTIONS and not _is_pool_method(node):
        return
    if not order_matters(module, node):
        return
    called = name.rpartition(".")[2] or "imap_unordered"
    instead = "pool.imap" if called == "imap_unordered" else "executor.map"
    yield Objection(
        node=node,
        message=f"{called}() gives results as they happen to be ready, and the order is kept",
        remedy=f"use {instead}, which keeps the order of the tasks, or store results by task",
    )


def _collects(function: ast.expr) -> bool:
    """Whether a function puts what it is given behind what was there: rows.append, or a lambda."""
    if isinstance(function, ast.Lambda):
        return isinstance(function.body, ast.Call) and _collects(function.body.func)
    return isinstance(function, ast.Attribute) and function.attr in COLLECTING


def _is_pool_method(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr == "imap_unordered"


RULE = Rule(
    code="SB203",
    name="completion-order",
    summary="Parallel results are collected in the order of their completion",
    explanation="""
as_completed and imap_unordered give whichever result is ready first: that depends on the load of
the machine. Appending them to a list makes data of that. `executor.map` and `pool.imap` run just
as parallel and keep the order; storing results under their task's key is fine as well and is not
reported. A callback that appends (`pool.apply_async(f, callback=rows.append)`) collects in the same
way.
""",
    bad="""\
from concurrent.futures import ThreadPoolExecutor, as_completed

rows = []
with ThreadPoolExecutor() as pool:
    futures = [pool.submit(pow, n, 2) for n in range(9)]
    for future in ⟦as_completed(futures)⟧:
        rows.append(future.result())
""",
    good="""\
from concurrent.futures import ThreadPoolExecutor

with ThreadPoolExecutor() as pool:
    rows = list(pool.map(pow, range(9), [2] * 9))
""",
    check=check,
    calls=_FUNCTIONS,
    methods=frozenset({"imap_unordered", *_CALLBACKS}),
)
