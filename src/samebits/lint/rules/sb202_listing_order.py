"""SB202: the order of a folder's listing in a result."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.edits import wrapping
from samebits.core.source.expressions import place
from samebits.core.source.order import order_matters
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_FUNCTIONS = frozenset({"os.listdir", "os.scandir", "glob.glob", "glob.iglob"})
# `glob` alone is also the name of other things' methods.
_PATH_METHODS = ("iterdir", "rglob")


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    if name not in _FUNCTIONS:
        if name or not _is_path_method(module, node):
            return
        assert isinstance(node.func, ast.Attribute)
        name = f"Path.{node.func.attr}"
    if not order_matters(module, node):
        return
    # Directory entries cannot be compared; paths and strings can. A list has no next.
    sortable = name != "os.scandir" and not _is_stepped_through(module, node)
    yield Objection(
        node=node,
        message=f"{name}() gives files in the order of the file system, and it reaches a result",
        remedy="put sorted(...) around it"
        + (", with key=lambda entry: entry.name" if name == "os.scandir" else ""),
        fix=wrapping(node, "sorted") if sortable else (),
    )


def _is_stepped_through(module: Module, node: ast.Call) -> bool:
    """Whether `next` is called on the listing itself, or on a name that it is given to."""
    expressions, places = module.stepped_through
    parent = module.tree.parents.get(node)
    targets = parent.targets if isinstance(parent, ast.Assign) else []
    return node in expressions or any(place(target) in places for target in targets)


def _is_path_method(module: Module, node: ast.Call) -> bool:
    function = node.func
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr in _PATH_METHODS:
        return True
    base = module.names.value(function.value)
    while isinstance(base, ast.BinOp | ast.Attribute):
        base = base.left if isinstance(base, ast.BinOp) else base.value
        base = module.names.value(base)
    return module.names.called(base) in ("pathlib.Path", "pathlib.Path.cwd", "pathlib.Path.home")


RULE = Rule(
    code="SB202",
    name="listing-order",
    summary="The order of a folder's listing reaches a result",
    explanation="""
os.listdir, glob and Path.iterdir give names in the order in which the file system keeps them: on
another machine, or after copying the folder, it is another order. Sorting costs nothing beside
reading the files. Counting, looking a name up and deleting files need no order and are not
reported.
""",
    bad="""\
import os

images = []
for name in ⟦os.listdir("data")⟧:
    images.append(name)
""",
    good="""\
import os

images = []
for name in sorted(os.listdir("data")):
    images.append(name)
""",
    check=check,
    calls=_FUNCTIONS,
    methods=frozenset({"iterdir", "rglob", "glob"}),
    fixes=True,
)
