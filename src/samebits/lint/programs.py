"""Which files are programs: those that a person starts, as far as their text tells.

A seed belongs to a program. A file of definitions, with a call or two that registers or configures
something on import, is a library; to tell it to seed would be wrong.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from samebits.core.source.expressions import root_name
from samebits.core.source.generators import STREAM_OF
from samebits.lint.module import Module

_QUIET_STATEMENTS = ("logging", "warnings", "sys", "os", "matplotlib", "builtins")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

# Done at the top of a file that also defines things, these are the work of a program.
_WORK = frozenset({"builtins.print", "sys.exit", "torch.save", "numpy.save", "asyncio.run"})
_WORKING_METHODS = frozenset(
    [
        "backward",
        "step",
        "fit",
        "fit_transform",
        "predict",
        "parse_args",
        "savefig",
        "train_epoch",
        "main",
    ]
)
_OWN_WORK = re.compile(
    r"(?i)^_*(main|cli|app|run|train|fit|test|evaluate|experiment|demo|start|launch)"
)
_PREPARING = re.compile(
    r"(?i)^_*(register|add|set|init|setup|patch|configure|install|enable|disable|load|define|check"
    r"|require|ensure|import|get|make|create|build)"
)


def is_program(module: Module) -> bool:
    """Whether a person starts this file."""
    if module.source.is_notebook or module.has_main_guard:
        return True
    if module.in_package or module.is_test or module.path.name in ("setup.py", "noxfile.py"):
        return False
    body = module.tree.root.body
    if any(isinstance(statement, _DEFINITIONS) for statement in body):
        own = {s.name for s in body if isinstance(s, _DEFINITIONS)}
        return any(_does_work(module, node, own) for node in _at_top(body))
    return any(_does_something(module, statement) for statement in body)


def _at_top(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Everything that runs when the file does, calls within functions and classes left out."""
    waiting: list[ast.AST] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*_DEFINITIONS, ast.Lambda)):
            continue
        yield node
        waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def _does_work(module: Module, node: ast.AST, own: set[str]) -> bool:
    """Whether a node is a call that computes, in a file that also defines things."""
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    if (module.names.qualified(function) or "") in _WORK:
        return True
    is_statement = isinstance(module.tree.parents[node], ast.Expr)
    if isinstance(function, ast.Attribute):
        if function.attr in _WORKING_METHODS:
            return True
        return is_statement and root_name(function) in own and bool(_OWN_WORK.match(function.attr))
    if not isinstance(function, ast.Name) or function.id not in own:
        return False
    if _OWN_WORK.match(function.id):
        return True
    return is_statement and not _PREPARING.match(function.id)


def _does_something(module: Module, statement: ast.stmt) -> bool:
    """Whether a statement does more than name things, in a file that defines nothing."""
    if isinstance(statement, ast.For | ast.While | ast.With):
        return True
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        name = module.names.qualified(statement.value.func) or ""
        return name == "builtins.print" or name.partition(".")[0] not in _QUIET_STATEMENTS
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
        return (module.names.qualified(statement.value.func) or "") in STREAM_OF
    return False
