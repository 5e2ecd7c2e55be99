"""Functions that a source file runs on threads of their own, as far as it says so itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.statement import called, enclosing_statements, statements_in

_STARTING = frozenset({"Thread", "Timer"})
_GIVEN = frozenset({"function", "target"})
"""What these call the function that they run."""
AS_READY = frozenset({"as_completed", "imap_unordered"})
"""Functions that give the results of tasks as they are ready."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def runs_on_a_thread(file: str | None, line: int | None) -> bool:
    """Whether a line stands in what a thread runs: its target, its `run`, or what these call.

    Functions are looked for in the file of the line alone, and methods in the class that names
    them.
    """
    parsed = next((statement.parsed for statement in statements_in(file)), None)
    if parsed is None or line is None:
        return False
    functions = _Functions([*parsed.nodes(ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)])
    waiting = [*functions.started([node for node, _ in parsed.calls]), *functions.run_methods()]
    found: set[_Function] = set()
    while waiting:
        function = waiting.pop()
        if function not in found:
            found.add(function)
            waiting += functions.called_in(function)
    return any(one.lineno <= line <= (one.end_lineno or one.lineno) for one in found)


def takes_as_ready(file: str | None, line: int | None) -> bool:
    """Whether a line stands in a loop over results of tasks as they are ready."""
    loops = (one.node for one in enclosing_statements(file, line))
    return any(
        isinstance(loop, ast.For) and any(called(node) in AS_READY for node in ast.walk(loop.iter))
        for loop in loops
    )


class _Functions:
    """The functions and methods of a file."""

    def __init__(self, nodes: list[ast.AST]) -> None:
        self._classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        self._functions = [node for node in nodes if isinstance(node, _Function)]
        methods = ((part, node) for node in self._classes for part in node.body)
        self._class_of = {part: node for part, node in methods if isinstance(part, _Function)}

    def run_methods(self) -> Iterator[_Function]:
        """The `run` of each class that is a thread."""
        for function, node in self._class_of.items():
            bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
            if function.name == "run" and not _STARTING.isdisjoint(bases):
                yield function

    def started(self, calls: list[ast.Call]) -> Iterator[_Function]:
        """What calls of `Thread` and `Timer` are given to run."""
        for call in calls:
            if called(call) in _STARTING:
                given = [word.value for word in call.keywords if word.arg in _GIVEN]
                for function in given or call.args[1:2]:
                    yield from self._named(function, self._class_around(call))

    def called_in(self, function: _Function) -> Iterator[_Function]:
        """What a function calls."""
        for node in ast.walk(function):
            if isinstance(node, ast.Call):
                yield from self._named(node.func, self._class_around(function))

    def _named(self, name: ast.expr, around: ast.ClassDef | None) -> Iterator[_Function]:
        if isinstance(name, ast.Name):
            yield from (f for f in self._functions if f.name == name.id and f not in self._class_of)
        elif isinstance(name, ast.Attribute) and ast.unparse(name.value) in ("self", "cls"):
            for function, node in self._class_of.items():
                if function.name == name.attr and node is around:
                    yield function

    def _class_around(self, node: ast.expr | _Function) -> ast.ClassDef | None:
        around = [
            one
            for one in self._classes
            if one.lineno <= node.lineno <= (one.end_lineno or one.lineno)
        ]
        return around[-1] if around else None
