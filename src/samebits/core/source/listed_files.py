"""Files that are read in the order in which a line has listed them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from pathlib import Path

from samebits.core.source.statement import (
    Statement,
    called,
    enclosing_function,
    statement_at,
    statements_in,
)

_READING = frozenset(
    {"fromfile", "imread", "load", "loads", "open", "read_bytes", "read_csv", "read_parquet"}
    | {"read_text", "loadtxt", "read_image", "load_file"}
)
_LISTING = frozenset({"glob", "iglob", "iterdir", "listdir", "rglob", "scandir"})
_TELLING = frozenset({"all", "any", "bool", "count", "index", "len", "max", "min", "print", "sum"})
"""Functions that tell something of a list, and hand no part of it on."""
_MAPPING = frozenset({"imap", "map", "starmap"})
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_OF_AN_OBJECT = "self."
_WRITING = frozenset("wxa")

_Key = tuple[int, str]
"""A name and where it holds: the line of its function, or of the class for `self.names`."""


def reads_what_it_walks(statement: Statement) -> bool:
    """Whether a loop over sorted names reads each.

    Args:
        statement: The loop, or what holds a comprehension.
    """
    return any(called(walked) == "sorted" and _reads(body) for _, walked, body in _loops(statement))


def reads_what_it_sorts(file: str, line: int, files: Set[str]) -> bool:
    """Whether a line sorts the names of files as they are, and one of the files reads each.

    A list is followed by its name: through assignments, to the function that returns it, to who
    calls that, and into the functions and classes of that file which are given it.

    Args:
        file: Where the line stands.
        line: The line.
        files: The script's files.
    """
    statement = statement_at(file, line)
    if statement is None or not any(map(_sorts_a_listing, statement.expressions())):
        return False
    here = _File(file)
    here.lists |= here.stored(statement.node)
    here.follow()
    if here.reads:
        return True
    function = enclosing_function(file, line)
    if function is None or not (isinstance(statement.node, ast.Return) or here.returns(statement)):
        return False
    of_module = f"{Path(file).stem}.{function}"
    return any(
        _File(other, function=function, module="" if other == file else of_module).follow().reads
        for other in (file, *sorted(files - {file}))
    )


class _File:
    """What a file does with a list of names.

    Args:
        file: The file.
        function: The function that returns the list, or a method.
        module: That with its module, for a file that imports it; "" in its own.

    Attributes:
        lists: What the list is called.
        items: What single names out of it are called.
    """

    def __init__(self, file: str, *, function: str = "", module: str = "") -> None:
        self._statements = list(statements_in(file))
        parsed = self._statements[0].parsed if self._statements else None
        nodes = [] if parsed is None else list(parsed.nodes(ast.ClassDef, *_FUNCTIONS))
        self._classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        self._functions = [node for node in nodes if isinstance(node, _FUNCTIONS)]
        self._function, self._module = function, module
        self.lists: set[_Key] = set()
        self.items: set[_Key] = set()

    def follow(self) -> _File:
        """Find all names that the list and its items go by."""
        known = -1
        while len(self.lists) + len(self.items) > known:  # what is used may stand further up
            known = len(self.lists) + len(self.items)
            for statement in self._statements:
                self._follow_into(statement)
        return self

    def _follow_into(self, statement: Statement) -> None:
        value = statement.node.value if isinstance(statement.node, ast.Assign) else None
        if value is not None and self._is_list(value, statement):
            self.lists |= self.stored(statement.node)
        elif value is not None and self._is_item(value, statement):
            self.items |= self.stored(statement.node)
        for targets, walked, _ in _loops(statement):
            if self._is_list(walked, statement):
                self.items |= {key for target in targets for key in self._items_of(target, walked)}
        for call in statement.expressions():
            if isinstance(call, ast.Call):
                self._pass_on(call, statement)

    def _items_of(self, target: ast.expr, walked: ast.expr) -> set[_Key]:
        """What a loop calls the single names; `enumerate` gives numbers first."""
        numbered = called(walked) == "enumerate" and isinstance(target, ast.Tuple)
        named = target.elts[1:] if numbered and isinstance(target, ast.Tuple) else [target]
        return {key for one in named for key in self._keys_of(one)}

    def _pass_on(self, call: ast.Call, statement: Statement) -> None:
        """Into what functions and classes of the file call what they are given."""
        for place, given in enumerate(call.args):
            keys = {key for names in self._parameters(called(call)) for key in names[place:][:1]}
            if self._is_list(given, statement):
                self.lists |= keys
            elif self._is_item(given, statement):
                self.items |= keys
        mapped = call.args[1:] if called(call) in _MAPPING else []
        if any(self._is_list(one, statement) for one in mapped):
            names = self._parameters(ast.unparse(call.args[0]).rpartition(".")[2])
            self.items |= {key for parameters in names for key in parameters[:1]}

    @property
    def reads(self) -> bool:
        """Whether a call reads the file that an item names."""
        return any(
            isinstance(node, ast.Call)
            and (self._reads_an_item(node, statement) or self._maps_reading(node, statement))
            for statement in self._statements
            for node in statement.expressions()
        )

    def _reads_an_item(self, call: ast.Call, statement: Statement) -> bool:
        if called(call) not in _READING or _writes(call):
            return False
        return any(self._is_item(given, statement) for given in _given(call))

    def _maps_reading(self, call: ast.Call, statement: Statement) -> bool:
        """Whether it is `map(np.load, paths)`, or that of a pool."""
        if called(call) not in _MAPPING or not call.args:
            return False
        reading = ast.unparse(call.args[0]).rpartition(".")[2] in _READING
        return reading and any(self._is_list(given, statement) for given in call.args[1:])

    def returns(self, since: Statement) -> bool:
        """Whether the function of the statement that has made the list returns it."""
        return any(
            isinstance(one.node, ast.Return)
            and one.node.value is not None
            and one.node.lineno >= since.node.lineno
            and self._is_list(one.node.value, one)
            and self._scope(one.node) == self._scope(since.node)
            for one in self._statements
        )

    def stored(self, node: ast.stmt) -> set[_Key]:
        """The names under which a statement keeps its value."""
        targets = node.targets if isinstance(node, ast.Assign) else []
        return {key for target in targets for key in self._keys_of(target)}

    def _is_list(self, node: ast.expr, statement: Statement) -> bool:
        match node:
            case ast.Name() | ast.Attribute():
                return not self.lists.isdisjoint(self._read_by(node))
            case ast.Subscript(slice=ast.Slice()):
                return self._is_list(node.value, statement)
            case ast.Starred():
                return self._is_list(node.value, statement)
            case ast.List() | ast.Tuple():
                return any(self._is_list(one, statement) for one in node.elts)
            case ast.BinOp():
                return self._is_list(node.left, statement) or self._is_list(node.right, statement)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                return self._is_list(node.generators[0].iter, statement)
            case ast.Call():
                if self._is_the_function(node, statement):
                    return True
                of = [node.func.value] if isinstance(node.func, ast.Attribute) else []
                given = [*node.args, *(one.value for one in node.keywords), *of]
                anew = called(node) == "sorted" and bool(node.keywords)
                hands_on = not anew and called(node) not in _TELLING | _READING
                return hands_on and any(self._is_list(one, statement) for one in given)
        return False

    def _is_item(self, node: ast.expr, statement: Statement) -> bool:
        """Whether an expression is made of a single name out of the list."""
        for part in ast.walk(node):
            match part:
                case ast.Subscript(slice=ast.Slice()):
                    continue
                case ast.Subscript() if self._is_list(part.value, statement):
                    return True
                case ast.Name() | ast.Attribute() if self.items & self._read_by(part):
                    return True
        return False

    def _is_the_function(self, call: ast.Call, statement: Statement) -> bool:
        if not self._function or called(call) != self._function:
            return False
        if not isinstance(call.func, ast.Attribute):
            return True
        name = statement.parsed.names.qualified(call.func)
        if name is None:
            return True  # a method of some object
        return bool(self._module) and name.endswith(self._module)

    def _keys_of(self, node: ast.expr) -> set[_Key]:
        several = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
        keys = set[_Key]()
        for one in several:
            if isinstance(one, ast.Name | ast.Attribute):
                text = ast.unparse(one)
                of_object = text.startswith(_OF_AN_OBJECT)
                keys.add((self._scope(one, of_object=of_object), text))
            elif isinstance(one, ast.Tuple | ast.List):
                keys |= self._keys_of(one)
        return keys

    def _read_by(self, node: ast.Name | ast.Attribute) -> set[_Key]:
        """What a name may stand for: one of its function, of one around that, or of the module."""
        text = ast.unparse(node)
        if text.startswith(_OF_AN_OBJECT):
            return self._keys_of(node)
        spans = ((kind.lineno, kind.end_lineno or 0) for kind in self._functions)
        return {(0, text)} | {(a, text) for a, b in spans if a <= node.lineno <= b}

    def _scope(self, node: ast.expr | ast.stmt, *, of_object: bool = False) -> int:
        """The line at which the function around a node begins, or its class; 0 for none."""
        kinds = self._classes if of_object else self._functions
        around = [k.lineno for k in kinds if k.lineno <= node.lineno <= (k.end_lineno or 0)]
        return max(around, default=0)

    def _parameters(self, name: str) -> Iterator[list[_Key]]:
        """What functions of this name, and classes, call what they are given without a name."""
        methods = {part: kind for kind in self._classes for part in kind.body}
        for function in self._functions:
            kind = methods.get(function)
            makes = kind is not None and (function.name, kind.name) == ("__init__", name)
            if makes or function.name == name:
                given = function.args.args[kind is not None :]
                yield [(function.lineno, argument.arg) for argument in given]


def _given(node: ast.Call) -> list[ast.expr]:
    """What a call is given, and what its method is one of: `paths[n].read_text()`."""
    return [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else ())]


def _writes(node: ast.Call) -> bool:
    """Whether a call opens a file to write into it."""
    modes = [one.value for one in node.keywords if one.arg == "mode"] + node.args[:2]
    texts = (one.value for one in modes if isinstance(one, ast.Constant))
    return called(node) == "open" and any(
        isinstance(text, str) and len(text) < 4 and not _WRITING.isdisjoint(text) for text in texts
    )


def _reads(body: Iterable[ast.AST]) -> bool:
    return any(called(part) in _READING for one in body for part in ast.walk(one))


def _loops(statement: Statement) -> Iterator[tuple[list[ast.expr], ast.expr, list[ast.AST]]]:
    """What the statement's loops and comprehensions call what they walk, walk, and do with it."""
    for one in statement.expressions():
        if isinstance(one, _COMPREHENSIONS):
            first = one.generators[0]
            yield [first.target], first.iter, [one]
    if isinstance(statement.node, ast.For):
        yield [statement.node.target], statement.node.iter, [*statement.node.body]


def _sorts_a_listing(node: ast.AST) -> bool:
    """Whether names are sorted as they are."""
    if not isinstance(node, ast.Call) or called(node) != "sorted" or node.keywords:
        return False
    return any(called(part) in _LISTING for given in node.args for part in ast.walk(given))
