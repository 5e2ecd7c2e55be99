"""A parsed file: one walk that notes every node's parent, scope and bindings, without recursion.

Recursion would bound the depth of what can be read: `a + b + c + ...` nests once a term.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from samebits.core.source.files import UnreadableError

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# Leaves that no rule looks at one by one; leaving them out halves the walk.
_SKIPPED = (ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop)
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}
_WITHOUT_CHILDREN = {"id", "attr", "arg", "ctx", "op", "ops", "kind", "type_comment", "level"}


@dataclass(eq=False)
class Scope:
    """A module, a class or a function, with what its names are bound to.

    Attributes:
        node: The node that opens it.
        parent: The scope around it; None for the module.
        imports: Names bound by imports, with the dotted name of what they stand for.
        others: Names bound in any other way: parameters, assignments, definitions.
        assigned: For each name, the values of its plain assignments.
    """

    node: ast.AST
    parent: Scope | None
    imports: dict[str, str] = field(default_factory=dict)
    others: dict[str, int] = field(default_factory=dict)
    assigned: dict[str, list[ast.expr]] = field(default_factory=dict)

    @property
    def is_class(self) -> bool:
        """Class bodies are not searched from the functions in them."""
        return isinstance(self.node, ast.ClassDef)

    def bind(self, name: str) -> None:
        """Note that a name is bound by something other than an import."""
        self.others[name] = self.others.get(name, 0) + 1


@dataclass(eq=False)
class Tree:
    """A parsed file after its walk.

    Attributes:
        root: The module.
        parents: Each node's parent, for all nodes but contexts and operators.
        scopes: The scope that each function and class opens, and the module's.
        nodes: Nodes by type, in the order of the text.
        uses: Every place where a plain name is read, by name.
        attributes: Every attribute that is read or written anywhere.
    """

    root: ast.Module
    parents: dict[ast.AST, ast.AST]
    scopes: dict[ast.AST, Scope]
    nodes: dict[type[ast.AST], list[ast.AST]]
    uses: dict[str, list[ast.Name]]
    attributes: set[str]

    def scope_of(self, node: ast.AST) -> Scope:
        """The innermost scope around a node; a function's own node lies in the scope outside."""
        parent = self.parents.get(node)
        while parent is not None:
            scope = self.scopes.get(parent)
            if scope is not None:
                return scope
            parent = self.parents.get(parent)
        return self.scopes[self.root]

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, from the inside out."""
        parent = self.parents.get(node)
        while parent is not None:
            yield parent
            parent = self.parents.get(parent)

    def function_of(self, node: ast.AST) -> Function | None:
        """The innermost function around a node."""
        for ancestor in self.ancestors(node):
            if isinstance(ancestor, ast.FunctionDef | ast.AsyncFunctionDef):
                return ancestor
        return None


def parse(source: str) -> Tree:
    """Parse a file's text and walk it.

    Raises:
        UnreadableError: It is no valid Python, or nested deeper than Python's parser goes.
    """
    with warnings.catch_warnings():
        # Invalid escapes and the like are their own linters' business.
        warnings.simplefilter("ignore")
        try:
            root = ast.parse(source)
        except SyntaxError as error:
            raise UnreadableError(
                f"does not parse: {error.msg}", max(1, error.lineno or 1)
            ) from error
        except (RecursionError, MemoryError) as error:
            raise UnreadableError("is nested too deeply to parse") from error
        except ValueError as error:
            raise UnreadableError(f"does not parse: {error}") from error
    return _walk(root)


def _walk(root: ast.Module) -> Tree:
    module = Scope(root, None)
    parents: dict[ast.AST, ast.AST] = {}
    scopes: dict[ast.AST, Scope] = {root: module}
    nodes: dict[type[ast.AST], list[ast.AST]] = {}
    uses: dict[str, list[ast.Name]] = {}
    attributes: set[str] = set()
    stack: list[tuple[ast.AST, Scope]] = [(root, module)]
    pop, push = stack.pop, stack.append
    while stack:
        node, scope = pop()
        kind = type(node)
        if kind is ast.Name:
            assert isinstance(node, ast.Name)
            if isinstance(node.ctx, ast.Load):
                uses.setdefault(node.id, []).append(node)
            else:
                scope.bind(node.id)
            continue
        if kind is ast.Constant:
            continue
        try:
            nodes[kind].append(node)
        except KeyError:
            nodes[kind] = [node]
        if kind is ast.Attribute:
            assert isinstance(node, ast.Attribute)
            attributes.add(node.attr)
        else:
            bind = _BINDERS.get(kind)
            if bind is not None:
                bind(node, scope)
                if isinstance(node, _SCOPES):
                    scope = scopes[node] = Scope(node, scope)
        children: list[tuple[ast.AST, Scope]] = []
        try:
            fields = _FIELDS[kind]
        except KeyError:
            fields = _FIELDS[kind] = tuple(f for f in kind._fields if f not in _WITHOUT_CHILDREN)
        for name in fields:
            value = getattr(node, name, None)
            if value.__class__ is list:
                for item in value:
                    if isinstance(item, ast.AST) and not isinstance(item, _SKIPPED):
                        parents[item] = node
                        children.append((item, scope))
            elif isinstance(value, ast.AST) and not isinstance(value, _SKIPPED):
                parents[value] = node
                children.append((value, scope))
        for child in reversed(children):
            push(child)
    return Tree(root, parents, scopes, nodes, uses, attributes)


def _bind_import(node: ast.Import, scope: Scope) -> None:
    for alias in node.names:
        if alias.asname:
            scope.imports[alias.asname] = alias.name
        else:
            root = alias.name.partition(".")[0]
            scope.imports[root] = root


def _bind_import_from(node: ast.ImportFrom, scope: Scope) -> None:
    module = "." * node.level + (node.module or "")
    for alias in node.names:
        if alias.name != "*":
            dot = "" if module.endswith(".") else "."
            scope.imports[alias.asname or alias.name] = f"{module}{dot}{alias.name}"


def _bind_definition(node: Function | ast.ClassDef, scope: Scope) -> None:
    scope.bind(node.name)


def _bind_assignment(node: ast.Assign, scope: Scope) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            scope.assigned.setdefault(target.id, []).append(node.value)


def _bind_annotated(node: ast.AnnAssign | ast.NamedExpr, scope: Scope) -> None:
    if isinstance(node.target, ast.Name) and node.value is not None:
        scope.assigned.setdefault(node.target.id, []).append(node.value)


def _bind_argument(node: ast.arg, scope: Scope) -> None:
    scope.bind(node.arg)


def _bind_handler(node: ast.ExceptHandler, scope: Scope) -> None:
    if node.name:
        scope.bind(node.name)


_BINDERS: dict[type[ast.AST], Callable[[Any, Scope], None]] = {
    ast.Import: _bind_import,
    ast.ImportFrom: _bind_import_from,
    ast.FunctionDef: _bind_definition,
    ast.AsyncFunctionDef: _bind_definition,
    ast.ClassDef: _bind_definition,
    ast.Assign: _bind_assignment,
    ast.AnnAssign: _bind_annotated,
    ast.NamedExpr: _bind_annotated,
    ast.arg: _bind_argument,
    ast.ExceptHandler: _bind_handler,
}
