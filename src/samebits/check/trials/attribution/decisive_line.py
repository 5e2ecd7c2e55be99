"""Which of the lines that differ has reached the divergence: a set may be walked twice, once idly.

The way goes back from the operation that differs, from each name that a statement reads to the last
line before it that stored that name and differed. What no such way leads to has done no harm.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from samebits.check.causes.writing.only_printed import prints
from samebits.check.causes.writing.set_order import walked_in
from samebits.check.diff.value_lines import ValueDifference
from samebits.check.diff.verdict import Divergence
from samebits.core.source.statement import (
    Statement,
    called,
    enclosing_function,
    scope_around,
    statement_at,
)

_ROUNDS = 3
_ONLY_LOOK = frozenset(
    {
        *("abs", "bool", "float", "hash", "id", "int", "isinstance", "len", "repr", "round", "str"),
        "type",
    }
)
"""Functions that leave what they are handed as it is."""
_SCOPES = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


def decisive(lines: Sequence[ValueDifference], at: Divergence) -> list[ValueDifference]:
    """The lines that walk a set, or hash, and whose order goes into the divergence.

    Args:
        lines: Lines after which variables differ, in the order in which they first ran.
        at: Where the runs diverge.

    Returns:
        The earliest on the way first, then the others on the way; where that goes through what no
        variable names, those in a function that was called on the way, else all that walk. What
        went on in a call that gave back the same in both runs, and changed nothing else, counts
        where there is nothing else.
        Empty where no line walks.
    """
    walks = [line for line, statement in _statements(lines) if walked_in(statement)]
    walks = [line for line in walks if not (line.idle and _keeps_to_itself(line))] or walks
    way = _way_to(at, lines) if len(walks) > 1 else None
    if way is None:
        return walks
    reached = _as_they_run([line for line in walks if line in way.lines])
    inside = [line for line in walks if enclosing_function(line.file, line.line) in way.functions]
    return reached or inside or walks


def _keeps_to_itself(line: ValueDifference) -> bool:
    """Whether the function that a line stands in changes nothing but variables of its own."""
    found = scope_around(line.file, line.line)
    if found is None or not isinstance(found[0], ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    own: set[str] = set()
    others: set[str] = set()
    touched: set[str] = set()
    for node in ast.walk(found[0]):
        if isinstance(node, ast.Global | ast.Nonlocal | ast.Yield | ast.YieldFrom):
            return False
        if isinstance(node, ast.stmt) and node is not found[0]:
            stored, changed = _stored(node)
            others |= _other_names(node)
            own |= {name for name in stored if "." not in name}
            touched |= {_base(name) for name in changed}
            touched |= {_base(name) for name in stored if "." in name}
    given = found[0].args
    arguments = {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    return touched <= own - arguments - others


def _other_names(node: ast.stmt) -> set[str]:
    """The names that a statement gives to something which others may hold as well."""
    if not isinstance(node, ast.Assign) or not isinstance(
        node.value, ast.Attribute | ast.Subscript | ast.Name
    ):
        return set()
    return {target.id for target in node.targets if isinstance(target, ast.Name)}


def reaching(lines: Sequence[ValueDifference], at: Divergence) -> list[ValueDifference]:
    """The lines whose values go into the divergence, the earliest first.

    Args:
        lines: Lines after which variables differ, in the order in which they first ran.
        at: Where the runs diverge.

    Returns:
        Those on the way back, as far as it goes by names of variables; empty where the divergence
        has no line.
    """
    way = _way_to(at, lines)
    return [] if way is None else [line for line in lines if line in way.lines]


def _way_to(at: Divergence, lines: Sequence[ValueDifference]) -> _Way | None:
    ends = statement_at(at.file, at.line)
    if ends is None:
        return None
    way = _Way()
    way.needs(ends, enclosing_function(at.file, at.line))
    # In a loop a line may differ for the first time in a later round than the one that reads it.
    for _ in range(_ROUNDS):
        before = len(way.lines)
        for line, statement in reversed(_statements(lines)):
            if line not in way.lines:
                way.meets(line, statement)
        if len(way.lines) == before:
            break
    return way


def _as_they_run(lines: Sequence[ValueDifference]) -> list[ValueDifference]:
    """Lines of one function in the order of the text, after those of functions that came before."""
    places = [(line.file, enclosing_function(line.file, line.line)) for line in lines]
    order = {place: number for number, place in reversed(list(enumerate(places)))}
    pairs = sorted(zip(places, lines, strict=True), key=lambda p: (order[p[0]], p[1].line))
    return [line for _, line in pairs]


def _statements(lines: Sequence[ValueDifference]) -> list[tuple[ValueDifference, Statement]]:
    found = [(line, statement_at(line.file, line.line)) for line in lines]
    return [(line, statement) for line, statement in found if statement is not None]


class _Need(NamedTuple):
    """A name that was read.

    Attributes:
        function: The function that read it; None for the module's own level.
        name: As it stands in the source.
    """

    function: str | None
    name: str


@dataclass
class _Way:
    """What is still looked for, on the way back.

    Attributes:
        names: Variables that were read, each in its function.
        functions: Functions whose result was read.
        lines: Lines that the way has led to.
    """

    names: set[_Need] = field(default_factory=set)
    functions: set[str | None] = field(default_factory=set)
    lines: list[ValueDifference] = field(default_factory=list)

    def needs(self, statement: Statement, function: str | None) -> None:
        """Look for all that a statement reads."""
        read, calls = _read(statement)
        self.names |= {_Need(function, name) for name in read}
        self.functions |= calls

    def meets(self, line: ValueDifference, statement: Statement) -> None:
        """Go on from a line, where it stored something that is looked for."""
        function = enclosing_function(line.file, line.line)
        if line.role == "argument":
            callee = line.callee.rpartition(".")[2]
            found = {need for need in self.names if need.function == callee} & {
                _Need(callee, name) for name in line.names
            }
            self.names -= found
            # A key function is called by what the line gives: for other items, or in another order.
            leads = bool(found) or (_gives(statement.node) and function in self.functions)
        elif _gives(statement.node):
            leads = function in self.functions
        else:
            stored, changed = _stored(statement.node)
            # What a module stores, its functions may read.
            near = {need for need in self.names if function in (None, need.function)}
            leads = any(_holds(need.name, stored | changed) for need in near)
            leads = leads or any(_is_same_attribute(n.name, stored | changed) for n in self.names)
            self.names -= {need for need in near if need.name in stored}
        if leads:
            self.lines.append(line)
            self.needs(statement, function)


def _holds(name: str, stored: set[str]) -> bool:
    """Whether what was stored is the name, holds it, or is held by it."""
    return any(
        name == one or name.startswith(f"{one}.") or one.startswith(f"{name}.") for one in stored
    )


def _is_same_attribute(name: str, stored: set[str]) -> bool:
    """What a method calls `self.index` may be anybody's `store.index`."""
    return any(
        "self" in (_base(name), _base(one)) and _last(name) == _last(one) != "" for one in stored
    )


def _base(name: str) -> str:
    return name.partition(".")[0]


def _last(name: str) -> str:
    return name.rpartition(".")[2] if "." in name else ""


def _read(statement: Statement) -> tuple[set[str], set[str]]:
    """Names that a statement reads, and last names of functions that it calls."""
    names: set[str] = set()
    calls: set[str] = set()
    bound: set[str] = set()
    inner: set[int] = set()
    for node in statement.expressions():
        if isinstance(node, ast.Attribute):
            inner.add(id(node.value))  # of `a.b.c` the whole is read, or stored
        if isinstance(node, _SCOPES):
            for generator in node.generators:
                targets = ast.walk(generator.target)
                bound |= {part.id for part in targets if isinstance(part, ast.Name)}
        if called(node):
            calls.add(called(node))
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            names |= set() if id(node) in inner else {ast.unparse(node)}
    return {name for name in names if name.partition(".")[0] not in bound}, calls


def _stored(node: ast.stmt) -> tuple[set[str], set[str]]:
    """Names that a statement stores anew, and names whose contents it changes."""
    stored: set[str] = set()
    changed: set[str] = set()
    for target in _targets(node):
        for part in ast.walk(target):
            if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store):
                changed.add(ast.unparse(part.value))
            elif isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Store):
                stored.add(ast.unparse(part))
    if isinstance(node, ast.AugAssign):
        changed, stored = changed | stored, set()
    does = isinstance(node, ast.Expr) and (not prints(node) or called(node.value) == "write")
    for call in ast.walk(node) if does else ():
        if isinstance(call, ast.Call) and not _only_looks(call):
            # Whatever is handed to a call, or asked to do something, may be another one then.
            if isinstance(call.func, ast.Attribute):
                changed.add(ast.unparse(_container(call.func.value)))
            changed |= {
                ast.unparse(a) for a in call.args if isinstance(a, ast.Name | ast.Attribute)
            }
    return stored, changed


def _only_looks(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in _ONLY_LOOK


def _container(node: ast.expr) -> ast.expr:
    """What holds an item: of `parts[n]` it is `parts`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def _gives(node: ast.stmt) -> bool:
    """Whether a statement gives something to whoever called."""
    return isinstance(node, ast.Return) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom)
    )


def _targets(node: ast.stmt) -> Iterator[ast.expr]:
    match node:
        case ast.Assign(targets=targets):
            yield from targets
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            yield target
        case ast.For(target=target):
            yield target
        case ast.With(items=items):
            yield from (item.optional_vars for item in items if item.optional_vars is not None)
    if not isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield from (part.target for part in ast.walk(node) if isinstance(part, ast.NamedExpr))
