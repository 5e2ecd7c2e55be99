"""What the elements of a set are, as far as the user's file tells it: strings, numbers, objects."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from samebits.core.source.expressions import (
    SET_OPERATORS,
    called,
    is_view_of_keys,
    makes_set,
)
from samebits.core.source.parsed import parsed_source

OBJECTS = "objects"
"""Elements that cannot be compared: instances of a class, or strings among numbers."""

_SETS = frozenset({"set", "frozenset"})
_NONE_YET = ""
_MOST_NAMES = 10_000
"""So many are followed: names that are all given to each other have no end of ways."""
_TEXT = frozenset({"str", "repr", "chr", "hex", "lower", "upper", "strip", "lstrip", "rstrip"}) | {
    *("format", "join", "replace", "title", "casefold", "capitalize", "decode", "input")
}
_NUMBERS = frozenset({"int", "float", "len", "ord", "hash", "id", "abs", "round"})
_LISTS_OF_TEXT = frozenset({"split", "rsplit", "splitlines", "readlines", "listdir"})
_CONTAINERS = frozenset({"set", "frozenset", "list", "tuple", "sorted", "iter", "reversed"})
_JOINING = frozenset({"union", "symmetric_difference"})
_ORDERED = frozenset({"Path", "PurePath", "Fraction", "Decimal"})
"""Classes, known by name, whose instances can be compared."""


@dataclass(frozen=True)
class _Binding:
    """What a file says of a name: `how` is "is", "in", "has", "like" or "annotated"."""

    how: str
    value: ast.expr | None


class Elements:
    """Answers of what kind elements are, by what stands in one file.

    It reads names wherever they stand: one that is used for two things is of no known kind.
    """

    def __init__(self, source: str) -> None:
        """Read a file.

        Args:
            source: Its text, which must be Python.
        """
        self._left = _MOST_NAMES
        self._bindings: dict[str, list[_Binding]] = {}
        for node in ast.walk(parsed_source(source).tree.root):
            self._note(node)

    def of(self, node: ast.expr, seen: frozenset[str] = frozenset()) -> str | None:
        """What a set or list holds: "text", "numbers", `OBJECTS` …; None where it is not known.

        Args:
            node: The expression that is walked.
            seen: Names that are being followed already.
        """
        match node:
            case ast.Constant(value=str()):
                return "text"
            case ast.Set(elts=elements) | ast.List(elts=elements) | ast.Tuple(elts=elements):
                return _together(self.one(element, seen) for element in elements)
            case ast.SetComp(elt=element) | ast.ListComp(elt=element):
                return self.one(element, seen)
            case ast.GeneratorExp(elt=element) | ast.DictComp(key=element):
                return self.one(element, seen)
            case ast.Call():
                return self._of_call(node, seen)
            case ast.BinOp(op=ast.Sub(), left=left):
                return self.of(left, seen)
            case ast.BinOp(left=left, right=right):
                return _together((self.of(left, seen), self.of(right, seen)))
            case ast.Name() | ast.Attribute():
                return self._of_name(ast.unparse(node), seen)
        return None

    def is_set(self, node: ast.expr) -> bool:
        """Whether an expression is a set, or a name that a set is given to anywhere in the file.

        Args:
            node: The expression.
        """
        if makes_set(node):
            return True
        if isinstance(node, ast.BinOp):
            return any(
                self.is_set(side) or is_view_of_keys(side) for side in (node.left, node.right)
            )
        bindings = self._bindings.get(ast.unparse(node), ())
        if any(
            one.value is not None and _makes_set(one.value) for one in bindings if one.how == "is"
        ):
            return True
        if not isinstance(node, ast.Subscript):
            return False
        of_dict = self._bindings.get(ast.unparse(node.value), ())
        return any(one.value is not None and _holds_sets(one.how, one.value) for one in of_dict)

    def _of_call(self, node: ast.Call, seen: frozenset[str]) -> str | None:
        name = called(node)
        if name in _CONTAINERS:
            return self.of(node.args[0], seen) if node.args else _NONE_YET
        if is_view_of_keys(node) and isinstance(node.func, ast.Attribute) and name == "keys":
            return self.of(node.func.value, seen)
        if name in _LISTS_OF_TEXT:
            return "text"
        if name == "range":
            return "numbers"
        if name in _JOINING and isinstance(node.func, ast.Attribute):
            return _together(self.of(part, seen) for part in (node.func.value, *node.args))
        return None

    def _of_name(self, name: str, seen: frozenset[str]) -> str | None:
        def pinned(binding: _Binding, seen: frozenset[str]) -> str | None:
            value = binding.value
            if value is None or binding.how == "in":
                return None
            if binding.how == "has":
                return self.one(value, seen)
            if binding.how == "annotated":
                return _annotated(value.slice if isinstance(value, ast.Subscript) else None)
            return self.of(value, seen)

        return self._bound(name, seen, pinned)

    def one(self, node: ast.expr, seen: frozenset[str] = frozenset()) -> str | None:
        """The kind of one value, as in `of`; of a tuple "(text, numbers)".

        Args:
            node: The expression.
            seen: Names that are being followed already.
        """
        match node:
            case ast.Constant(value=str()) | ast.JoinedStr():
                return "text"
            case ast.Constant(value=bytes()):
                return "bytes"
            case ast.Constant(value=int() | float()):
                return "numbers"
            case ast.Tuple(elts=parts):
                kinds = [self.one(part, seen) for part in parts]
                if OBJECTS in kinds:
                    return OBJECTS
                return None if None in kinds else f"({', '.join(map(str, kinds))})"
            case ast.BinOp(left=left, right=right):
                return _together((self.one(left, seen), self.one(right, seen)))
            case ast.Call():
                return _made(called(node))
            case ast.Name() | ast.Attribute():
                return self._one_name(ast.unparse(node), seen)
        return None

    def _one_name(self, name: str, seen: frozenset[str]) -> str | None:
        def kind(binding: _Binding, seen: frozenset[str]) -> str | None:
            value = binding.value
            if value is None:
                return None
            if binding.how == "is":
                return self.one(value, seen)
            if binding.how == "in":
                return self.of(value, seen)
            return _annotated(value) if binding.how == "annotated" else None

        return self._bound(name, seen, kind)

    def _bound(
        self,
        name: str,
        seen: frozenset[str],
        kind: Callable[[_Binding, frozenset[str]], str | None],
    ) -> str | None:
        """The kind that all bindings of a name come to."""
        self._left -= 1
        if self._left < 0:
            return None
        if name in seen:
            return _NONE_YET
        bindings = self._bindings.get(name, ())
        return _together([kind(binding, seen | {name}) for binding in bindings]) or None

    def _note(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._bind(target, "is", value)
            case ast.AnnAssign(target=target, value=value):
                self._bind(target, "is" if value else "annotated", value or node.annotation)
            case ast.AugAssign(target=target, value=value):
                self._bind(target, "like", value)
            case ast.NamedExpr(target=target, value=value):
                self._bind(target, "is", value)
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                self._bind(target, "in", value)
            case ast.withitem(optional_vars=ast.expr() as target):
                self._bind(target, "is", None)
            case ast.arg(arg=name, annotation=annotation):
                self._bindings.setdefault(name, []).append(_Binding("annotated", annotation))
            case ast.Call(func=ast.Attribute(value=target, attr=("add" | "append")), args=[value]):
                self._bind(target, "has", value)
            case ast.Call(func=ast.Attribute(value=target, attr=("update" | "extend")), args=args):
                for value in args:
                    self._bind(target, "like", value)

    def _bind(self, target: ast.expr, how: str, value: ast.expr | None) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self._bind(part, how, None)
        elif isinstance(target, ast.Name | ast.Attribute):
            self._bindings.setdefault(ast.unparse(target), []).append(_Binding(how, value))


def _holds_sets(how: str, node: ast.expr) -> bool:
    """Whether a name is `defaultdict(set)`, or has the annotation `dict[str, set[int]]`."""
    if how == "is":
        given = node.args[:1] if isinstance(node, ast.Call) else []
        return called(node) == "defaultdict" and any(ast.unparse(g) in _SETS for g in given)
    match node:
        case ast.Subscript(slice=ast.Tuple(elts=[_, kind])) if how == "annotated":
            pass
        case _:
            return False
    return ast.unparse(kind.value if isinstance(kind, ast.Subscript) else kind) in _SETS


def _makes_set(node: ast.expr) -> bool:
    """Whether an expression is a set by itself: `set(xs)`, `set(xs) - known`, `a.keys() & b`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, SET_OPERATORS):
        sides = (node.left, node.right)
        return any(_makes_set(side) or is_view_of_keys(side) for side in sides)
    return makes_set(node)


def _made(name: str) -> str | None:
    """What a call gives, by the name of what is called."""
    if name in _TEXT:
        return "text"
    if name in _NUMBERS:
        return "numbers"
    if name in _ORDERED:
        return name
    # Classes begin with a capital letter; one that defines an order is sorted by a key as well.
    return OBJECTS if name[:1].isupper() else None


def _annotated(node: ast.expr | None) -> str | None:
    if not isinstance(node, ast.Name):
        return None
    return {"str": "text", "int": "numbers", "float": "numbers", "bytes": "bytes"}.get(node.id)


def _together(kinds: Iterable[str | None]) -> str | None:
    """The kind of elements that come from several places."""
    found = set(kinds)
    if OBJECTS in found:
        return OBJECTS
    if None in found:
        return None
    found.discard(_NONE_YET)
    if len(found) > 1:
        return OBJECTS
    return found.pop() if found else _NONE_YET
