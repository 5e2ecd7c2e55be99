"""Files that are read in the order in which a line has listed them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set

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
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.DictComp)
_Names = Set[str]


def reads_what_it_walks(statement: Statement) -> bool:
    """Whether a loop over sorted names reads each.

    Args:
        statement: The loop, or what holds a comprehension.
    """
    return any(called(walked) == "sorted" and _reads(body) for walked, body in _loops(statement))


def reads_what_it_sorts(file: str, line: int, files: _Names) -> bool:
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
    function = enclosing_function(file, line)
    names = _stored(statement.node)
    returned = isinstance(statement.node, ast.Return) or _returns(file, function, names)
    if function is None or not returned:
        return _reads_a_list(file, names)
    within = _reads_a_list(file, {function, *names})
    return within or any(_reads_a_list(other, {function}) for other in files - {file})


def _returns(file: str, function: str | None, names: _Names) -> bool:
    """Whether a function returns something that is made of one of the names."""
    return any(
        isinstance(one.node, ast.Return)
        and not names.isdisjoint(_named(one.expressions()))
        and enclosing_function(file, one.node.lineno) == function
        for one in statements_in(file)
    )


def _reads_a_list(file: str, names: _Names) -> bool:
    """Whether a file reads what is in a list that goes by one of the names."""
    statements = list(statements_in(file))
    lists, items = _names_of_a_list(statements, names)
    for one in statements:
        for walked, body in _loops(one):
            if not lists.isdisjoint(_named(ast.walk(walked))) and _reads(body):
                return True
        if any(_reads_one(node, lists, items) for node in one.expressions()):
            return True
    return False


def _names_of_a_list(statements: Iterable[Statement], names: _Names) -> tuple[set[str], set[str]]:
    """What else a list is called, and what single items of it are."""
    lists, items = set(names), set[str]()
    known = 0
    while len(lists) > known:  # a method may use what a function further down has given it
        known = len(lists)
        for one in statements:
            if not lists.isdisjoint(_named(one.expressions())):
                (items if _takes_an_item(one.node) else lists).update(_stored(one.node))
                lists |= _passed_on(one, lists, statements)
    return lists, items


def _passed_on(statement: Statement, lists: _Names, statements: Iterable[Statement]) -> set[str]:
    """What functions and classes of the file call a list that the statement gives them."""
    names: set[str] = set()
    for call in statement.expressions():
        if isinstance(call, ast.Call):
            given = [_named(ast.walk(one)) for one in call.args]
            places = [n for n, names_in in enumerate(given) if not lists.isdisjoint(names_in)]
            for parameters in _parameters(called(call), statements) if places else ():
                names.update(parameters[n] for n in places if n < len(parameters))
    return names


def _parameters(name: str | None, statements: Iterable[Statement]) -> Iterator[list[str]]:
    """What functions of this name, and classes, call what they are given without a name."""
    for node in (one.node for one in statements):
        if isinstance(node, ast.ClassDef) and node.name == name:
            methods = (part for part in node.body if isinstance(part, ast.FunctionDef))
            yield from ([a.arg for a in m.args.args[1:]] for m in methods if m.name == "__init__")
        elif isinstance(node, ast.FunctionDef) and node.name == name:
            yield [argument.arg for argument in node.args.args]


def _reads_one(node: ast.AST, lists: _Names, items: _Names) -> bool:
    """Whether a call reads the file at some place of a list, as a data set does."""
    if not isinstance(node, ast.Call) or called(node) not in _READING:
        return False
    # Also what a method is one of: `paths[n].read_text()`.
    given = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else ())]
    parts = [part for one in given for part in ast.walk(one)]
    taken = (part.value for part in parts if isinstance(part, ast.Subscript))
    return not lists.isdisjoint(_named(taken)) or not items.isdisjoint(_named(parts))


def _takes_an_item(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Assign) else None
    return isinstance(value, ast.Subscript) and not isinstance(value.slice, ast.Slice)


def _stored(node: ast.stmt) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else []
    several = (part for one in targets for part in getattr(one, "elts", [one]))
    return {ast.unparse(one) for one in several if isinstance(one, ast.Name | ast.Attribute)}


def _named(nodes: Iterable[ast.AST]) -> set[str]:
    """Names, and methods that are called."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Call):
            found.add(called(node) or "")
        if isinstance(node, ast.Name | ast.Attribute):
            found.add(ast.unparse(node))
    return found - {""}


def _reads(body: Iterable[ast.AST]) -> bool:
    return any(called(part) in _READING for one in body for part in ast.walk(one))


def _loops(statement: Statement) -> list[tuple[ast.expr, list[ast.AST]]]:
    """What the statement's loops and comprehensions walk, and what they do with each."""
    loops: list[tuple[ast.expr, list[ast.AST]]] = [
        (one.generators[0].iter, [one])
        for one in statement.expressions()
        if isinstance(one, _COMPREHENSIONS)
    ]
    if isinstance(statement.node, ast.For):
        loops.append((statement.node.iter, [*statement.node.body]))
    return loops


def _sorts_a_listing(node: ast.AST) -> bool:
    """Whether names are sorted as they are."""
    if not isinstance(node, ast.Call) or called(node) != "sorted" or node.keywords:
        return False
    return any(called(part) in _LISTING for given in node.args for part in ast.walk(given))
