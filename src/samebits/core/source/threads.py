"""Functions that a source file runs on threads of their own, as far as it says so itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.statement import called, enclosing_function, statements_in

_STARTING = frozenset({"Thread", "Timer"})
_GIVEN = frozenset({"function", "target"})
"""What these call the function that they run."""


def runs_on_a_thread(file: str | None, line: int | None) -> bool:
    """Whether a line stands in what a thread runs: its target, its `run`, or what these call.

    Functions are known by their names, and looked for in the file of the line alone.
    """
    function = enclosing_function(file, line)
    return function is not None and function in _functions_of_threads(file)


def _functions_of_threads(file: str | None) -> set[str]:
    parsed = next((statement.parsed for statement in statements_in(file)), None)
    if parsed is None:
        return set()
    defined: dict[str, list[ast.AST]] = {}
    for node in parsed.nodes(ast.FunctionDef):
        if isinstance(node, ast.FunctionDef):
            defined.setdefault(node.name, []).append(node)
    found: set[str] = set()
    waiting = [*_started(file), *_run_methods(parsed.nodes(ast.ClassDef))]
    while waiting:
        name = waiting.pop()
        if name in found or name not in defined:
            continue
        found.add(name)
        waiting += (
            called(call) or ""
            for function in defined[name]
            for call in ast.walk(function)
            if isinstance(call, ast.Call)
        )
    return found


def _started(file: str | None) -> Iterator[str]:
    for statement in statements_in(file):
        for node in statement.expressions():
            if isinstance(node, ast.Call) and called(node) in _STARTING:
                given = [word.value for word in node.keywords if word.arg in _GIVEN]
                for function in given or node.args[1:2]:
                    if isinstance(function, ast.Name):
                        yield function.id
                    elif isinstance(function, ast.Attribute):
                        yield function.attr


def _run_methods(classes: Iterator[ast.AST]) -> Iterator[str]:
    for node in classes:
        if isinstance(node, ast.ClassDef) and any(
            ast.unparse(base).rpartition(".")[2] in _STARTING for base in node.bases
        ):
            yield "run"
