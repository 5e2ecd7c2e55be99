"""Lines that sort blocks of shared memory by the names that the system has drawn for them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.statement import Statement, called, enclosing_function, statements_in

_MAKING = "SharedMemory"
_ADDING = frozenset({"add", "append"})
_CHOOSING = frozenset({"max", "min", "sorted"})
_ENDING = frozenset({"close", "unlink"})
_COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp, ast.SetComp)
_OF_AN_OBJECT = "self."

_Key = tuple[str, str]
"""A name and the function in which it holds; "" for what an object holds."""


def sorts_blocks_by_name(file: str | None) -> int | None:
    """The first line of a file that puts blocks of shared memory in the order of their names.

    Blocks are followed by the names that they, and lists and dicts of them, have in a function. A
    loop that only closes or removes them counts for nothing.

    Args:
        file: The source file; nothing is found in one that cannot be read.
    """
    if file is None:
        return None
    return next(_Blocks(file).sorting_lines(), None)


class _Blocks:
    """The blocks that a file makes without a name, and what holds them or their names."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._statements = list(statements_in(file))
        self._blocks: set[_Key] = set()
        self._holders: set[_Key] = set()
        """What holds blocks."""
        self._named: set[_Key] = set()
        """What holds their names, as elements or as keys."""
        known = -1
        while self._known > known:  # what is used may stand further up
            known = self._known
            for statement in self._statements:
                self._follow(statement)

    @property
    def _known(self) -> int:
        return len(self._blocks) + len(self._holders) + len(self._named)

    def sorting_lines(self) -> Iterator[int]:
        """The lines that sort names of blocks."""
        for statement in self._statements:
            if _only_ends(statement.node):
                continue
            for node in statement.expressions():
                if isinstance(node, ast.Call) and self._sorts(node, statement):
                    yield node.lineno

    def _follow(self, statement: Statement) -> None:
        match statement.node:
            case ast.Assign(targets=[ast.Subscript(value=holder, slice=key)], value=value):
                if self._is_name(key, statement):
                    self._named.add(self._key(holder, statement))
                if self._is_block(value, statement):
                    self._holders.add(self._key(holder, statement))
            case ast.Assign(targets=[target], value=value):
                self._store(target, value, statement)
        for node in statement.expressions():
            match node:
                case ast.Call(func=ast.Attribute(value=holder, attr=attr), args=[first]) if (
                    attr in _ADDING
                ):
                    if self._is_name(first, statement):
                        self._named.add(self._key(holder, statement))
                    if self._is_block(first, statement):
                        self._holders.add(self._key(holder, statement))

    def _store(self, target: ast.expr, value: ast.expr, statement: Statement) -> None:
        key = self._key(target, statement)
        if self._is_block(value, statement):
            self._blocks.add(key)
        elif isinstance(value, _COMPREHENSIONS) and _makes_a_block(value.elt):
            self._holders.add(key)
        elif self._lists_names(value, statement) or self._has_names_as_keys(value, statement):
            self._named.add(key)

    def _has_names_as_keys(self, value: ast.expr, statement: Statement) -> bool:
        return isinstance(value, ast.DictComp) and self._takes_names(
            value.key, value.generators, statement
        )

    def _sorts(self, call: ast.Call, statement: Statement) -> bool:
        keys = [given.value for given in call.keywords if given.arg == "key"]
        match call:
            case ast.Call(func=ast.Name(id=name), args=[walked]) if name in _CHOOSING:
                if not keys and self._lists_names(walked, statement):
                    return True
            case ast.Call(func=ast.Attribute(value=walked, attr="sort"), args=[]):
                pass
            case _:
                return False
        held = self._key(_holder(walked), statement)
        return held in self._holders and _is_the_name(keys[0]) if keys else held in self._named

    def _lists_names(self, value: ast.expr, statement: Statement) -> bool:
        return isinstance(value, _COMPREHENSIONS) and self._takes_names(
            value.elt, value.generators, statement
        )

    def _takes_names(
        self, taken: ast.expr, generators: list[ast.comprehension], statement: Statement
    ) -> bool:
        """Whether a comprehension over blocks takes the name of each."""
        match taken, generators:
            case ast.Attribute(value=ast.Name(id=one), attr="name"), [generator]:
                walked = self._key(generator.iter, statement) in self._holders
                return walked and ast.unparse(generator.target) == one
        return False

    def _is_name(self, node: ast.expr, statement: Statement) -> bool:
        match node:
            case ast.Attribute(value=value, attr="name"):
                return self._is_block(value, statement)
        return False

    def _is_block(self, node: ast.expr, statement: Statement) -> bool:
        return _makes_a_block(node) or self._key(node, statement) in self._blocks

    def _key(self, node: ast.expr, statement: Statement) -> _Key:
        name = ast.unparse(node)
        if name.startswith(_OF_AN_OBJECT):
            return "", name
        return enclosing_function(self._file, statement.node.lineno) or "<module>", name


def _makes_a_block(node: ast.expr) -> bool:
    """Whether a block is made without a name of the script's own."""
    if not isinstance(node, ast.Call) or called(node) != _MAKING:
        return False
    given = [*node.args[:1], *(one.value for one in node.keywords if one.arg == "name")]
    return all(isinstance(one, ast.Constant) and one.value is None for one in given)


def _only_ends(node: ast.stmt) -> bool:
    """Whether a loop does nothing with the blocks but close or remove them."""
    return isinstance(node, ast.For) and all(
        isinstance(one, ast.Expr) and called(one.value) in _ENDING for one in node.body
    )


def _holder(walked: ast.expr) -> ast.expr:
    """What is walked by `d`, `d.keys()` and `d.items()` alike."""
    match walked:
        case ast.Call(func=ast.Attribute(value=holder, attr="items" | "keys"), args=[]):
            return holder
    return walked


def _is_the_name(key: ast.expr) -> bool:
    match key:
        case ast.Lambda(body=ast.Attribute(attr="name")):
            return True
        case ast.Call(args=[ast.Constant(value="name")]):
            return called(key) == "attrgetter"
    return False
