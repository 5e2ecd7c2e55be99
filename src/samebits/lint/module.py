"""A file as the rules see it: its tree, what its calls call, and questions rules share."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TypeGuard

from samebits.lint.names import Names
from samebits.lint.source import Source
from samebits.lint.syntax import Tree, parse

_NUMERIC = frozenset(
    [
        "torch",
        "torchvision",
        "torchaudio",
        "numpy",
        "scipy",
        "pandas",
        "sklearn",
        "jax",
        "flax",
        "tensorflow",
        "keras",
        "lightning",
        "pytorch_lightning",
        "transformers",
        "datasets",
        "accelerate",
        "xgboost",
        "lightgbm",
        "cupy",
    ]
)


class Module:
    """One parsed file.

    Args:
        source: Its text.
        path: Where it lies, to find what it imports; the text is not read again.

    Raises:
        UnreadableError: It does not parse.
    """

    def __init__(self, source: Source, path: Path) -> None:
        self.source = source
        self.path = path
        self.tree: Tree = parse(source)
        self.names = Names(self.tree)
        self.last_sorted: dict[str, tuple[int, int]] | None = None
        self._bound: dict[ast.AST, frozenset[str]] = {}

    def nodes(self, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        """All nodes of some types, in the order of the text within each type."""
        for kind in kinds:
            yield from self.tree.nodes.get(kind, ())

    @cached_property
    def calls(self) -> list[tuple[ast.Call, str]]:
        """Every call, with the dotted name of what it calls ("" when that is not known)."""
        qualified = self.names.qualified
        found = self.tree.nodes.get(ast.Call, ())
        return [(node, qualified(node.func) or "") for node in found]  # type: ignore[attr-defined,misc]

    @cached_property
    def called_names(self) -> frozenset[str]:
        """The dotted names of everything that the file calls."""
        return frozenset(name for _, name in self.calls)

    @cached_property
    def methods_called(self) -> dict[str, set[str]]:
        """For each method's name, the places (as `place` spells them) of the objects."""
        found: dict[str, set[str]] = {}
        for node, _ in self.calls:
            if isinstance(node.func, ast.Attribute):
                found.setdefault(node.func.attr, set()).add(place(node.func.value))
        return found

    @cached_property
    def stepped_through(self) -> tuple[frozenset[ast.AST], frozenset[str]]:
        """What `next` is called on: the expressions, and the places that are named."""
        given = [n.args[0] for n, _ in self.calls if n.args and place(n.func) == "next"]
        return frozenset(given), frozenset(map(place, given)) - {""}

    @cached_property
    def handed_on(self) -> frozenset[str]:
        """Places that plain functions are given as arguments."""
        return frozenset(
            place(value)
            for node, _ in self.calls
            if not isinstance(node.func, ast.Attribute)
            for value in node.args
        )

    @cached_property
    def attribute_values(self) -> dict[str, list[ast.expr]]:
        """What each attribute (`args.seed`, as `place` spells it) is assigned in this file."""
        found: dict[str, list[ast.expr]] = {}
        for assignment in self.tree.nodes.get(ast.Assign, ()):
            assert isinstance(assignment, ast.Assign)
            for target in assignment.targets:
                if isinstance(target, ast.Attribute) and place(target):
                    found.setdefault(place(target), []).append(assignment.value)
        return found

    def bound_in(self, loop: ast.AST) -> frozenset[str]:
        """Names that are bound anywhere in a loop."""
        if loop not in self._bound:
            self._bound[loop] = frozenset(
                part.id
                for part in ast.walk(loop)
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            )
        return self._bound[loop]

    @cached_property
    def imported(self) -> frozenset[str]:
        """Top-level names of the packages that the file imports anywhere."""
        found: set[str] = set()
        for scope in self.tree.scopes.values():
            found.update(name.partition(".")[0] for name in scope.imports.values())
        return frozenset(found)

    @property
    def is_numeric(self) -> bool:
        """Whether the file works with numbers at all: tokens and passwords should be random."""
        return not _NUMERIC.isdisjoint(self.imported)

    @cached_property
    def has_main_guard(self) -> bool:
        """Whether the file has an `if __name__ == "__main__"` of its own."""
        return any(
            isinstance(node, ast.If) and "__name__" in ast.dump(node.test)
            for node in self.tree.root.body
            if isinstance(node, ast.If) and isinstance(node.test, ast.Compare)
        )

    @cached_property
    def is_test(self) -> bool:
        """Whether the file's name says that it is a test."""
        stem = self.path.stem
        return stem.startswith("test_") or stem.endswith("_test") or stem == "conftest"

    @cached_property
    def in_package(self) -> bool:
        """Whether the file is a package's module."""
        return (self.path.parent / "__init__.py").exists()

    @cached_property
    def uses_cuda(self) -> bool:
        """Whether the file's text speaks of CUDA devices."""
        return "cuda" in self.source.text

    def in_function(self, node: ast.AST) -> bool:
        """Whether a node runs only when some function is called."""
        return any(
            isinstance(a, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for a in self.tree.ancestors(node)
        )

    def loop_around(self, node: ast.AST) -> ast.For | ast.AsyncFor | ast.While | None:
        """The innermost loop statement around a node within its function."""
        for ancestor in self.tree.ancestors(node):
            if isinstance(ancestor, ast.For | ast.AsyncFor | ast.While):
                return ancestor
            if isinstance(ancestor, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                return None
        return None


def argument(call: ast.Call, name: str, position: int | None = None) -> ast.expr | None:
    """An argument of a call by keyword or position; None when it is not given."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if position is not None and position < len(call.args):
        if any(isinstance(a, ast.Starred) for a in call.args[: position + 1]):
            return None
        return call.args[position]
    return None


def has_unpacking(call: ast.Call) -> bool:
    """Whether a call passes *args or **kwargs, which may hold anything."""
    return any(isinstance(a, ast.Starred) for a in call.args) or any(
        k.arg is None for k in call.keywords
    )


def is_constant(node: ast.AST | None, *values: object) -> TypeGuard[ast.Constant]:
    """Whether a node is one of some literal values, of the same type."""
    return isinstance(node, ast.Constant) and any(
        type(node.value) is type(value) and node.value == value for value in values
    )


def root_name(node: ast.AST) -> str | None:
    """The name at the start of a chain of attributes, calls and subscripts."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def place(node: ast.AST) -> str:
    """A node that names something, as text to compare: `self.rng`; "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])
