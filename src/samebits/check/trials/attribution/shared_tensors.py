"""A tensor in shared memory that is changed while a loader's workers read it: told by the source.

What the workers read of it goes by how far each of them is, and no ledger sees memory being read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.correspondence import base_name
from samebits.check.diff.verdict import Cause
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.loader_workers import is_what_a_loader_gave
from samebits.check.trials.attribution.source_lines import sources_of
from samebits.core.source.statement import (
    called,
    enclosing_function,
    enclosing_statements,
    scope_around,
    statements_in,
)

_SHARES = "share_memory_"
_MAKING_ITEMS = frozenset({"__getitem__", "__getitems__", "__iter__", "__next__"})
_FIX = (
    "What a worker reads of this tensor goes by how far it is. Send the value along with each "
    "request, as a sampler's or a batch sampler's index can, and read that here; or change the "
    "tensor only between epochs, with persistent_workers off, when no worker reads ahead."
)


class _Standing(NamedTuple):
    """A statement.

    Attributes:
        file: The file that it stands in.
        node: What stands there.
    """

    file: str
    node: ast.stmt

    def __str__(self) -> str:
        return f"{base_name(self.file)}:{self.node.lineno}"


class _TensorName(NamedTuple):
    """What a tensor is called: `self.noise` in any method, or a name of one function or module.

    Attributes:
        file: The file.
        scope: The function; "" where it is an attribute, or a name of the module.
        text: As it is written.
    """

    file: str
    scope: str
    text: str

    @property
    def last(self) -> str:
        """The attribute's own name, or the plain name."""
        return self.text.rpartition(".")[2]

    def may_be(self, other: _TensorName) -> bool:
        """Whether both may be one tensor: `self.noise` of a dataset is anybody's `data.noise`."""
        if "." in self.text and "." in other.text:
            return self.last == other.last
        return self == other


def tensor_changed_under_workers(evidence: Evidence, run: Trace) -> Cause | None:
    """The line of a dataset that reads a tensor which other lines change meanwhile.

    Args:
        evidence: What both runs have noted up to where they diverge.
        run: One of them, which names the script's own source files.

    Returns:
        None where no data differ, where no loader has workers, where something was drawn without a
        seed or workers saw something else, and where no dataset is seen to read such a tensor.
    """
    if not is_what_a_loader_gave(evidence) or not evidence.of("worker"):
        return None
    seen = (entry for entry in evidence.entries if entry.in_worker and not entry.internal)
    if any(entry.changed for entry in seen):
        return None
    known = [
        _Standing(file, statement.node)
        for file in sources_of(run)
        for statement in statements_in(file)
    ]
    shared = {name: place for place in known for name in _shared(place)}
    for place in known:
        for changed in _changed(place):
            for name, by in shared.items():
                if not name.may_be(changed) or not _is_later(place, by, known):
                    continue
                read = _read_by_a_dataset(name, known)
                if read is not None:
                    return _cause(name, by, place, read)
    return None


def _cause(name: _TensorName, by: _Standing, changed: _Standing, read: _Standing) -> Cause:
    return Cause(
        code="process-timing",
        detail=name.last,
        file=read.file,
        line=read.node.lineno,
        evidence=f"A loader's workers read {name.last} here. It lies in memory that processes "
        f"share ({by}), and {changed} changes it. The data that the workers gave differ, and "
        "nothing was drawn without a seed.",
        fix=_FIX,
        confidence="likely",
    )


def _is_later(changed: _Standing, made: _Standing, known: list[_Standing]) -> bool:
    """Whether a tensor is changed elsewhere than it is made, or in a loop that follows a loader."""
    function = enclosing_function(made.file, made.node.lineno)
    around = enclosing_function(changed.file, changed.node.lineno)
    if changed.file != made.file or around != function:
        return True
    loaders = [
        place.node.lineno
        for place in known
        if place.file == made.file
        and not _is_block(place.node)
        and enclosing_function(place.file, place.node.lineno) == function
        and any(
            isinstance(node, ast.Call) and called(node).endswith("Loader")
            for node in ast.walk(place.node)
        )
    ]
    return any(
        isinstance(loop.node, ast.For | ast.While)
        and any(made.node.lineno < line < loop.node.lineno for line in loaders)
        for loop in enclosing_statements(changed.file, changed.node.lineno)
    )


def _name_of(file: str, node: ast.expr) -> _TensorName | None:
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return _TensorName(file, "", ast.unparse(node))
    if isinstance(node, ast.Name):
        return _TensorName(file, enclosing_function(file, node.lineno) or "", node.id)
    return None


def _shared(place: _Standing) -> Iterator[_TensorName]:
    """What a statement puts into shared memory."""
    node = place.node
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr) else None
    if value is None or called(value) != _SHARES or not isinstance(value, ast.Call):
        return
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    if isinstance(node, ast.Expr) and isinstance(value.func, ast.Attribute):
        targets = [value.func.value]
    yield from filter(None, (_name_of(place.file, target) for target in targets))


def _changed(place: _Standing) -> Iterator[_TensorName]:
    """What a statement changes in place."""
    node = place.node
    target: ast.expr | None = None
    if isinstance(node, ast.AugAssign):
        target = node.target
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        target = node.targets[0]
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
        target = node.targets[0].value if node.targets[0].attr == "data" else None
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        target = _written_by(node.value)
    name = None if target is None else _name_of(place.file, target)
    if name is not None:
        yield name


def _written_by(call: ast.Call) -> ast.expr | None:
    """What a method changes in place, or the first of several in a row."""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Call() as before, attr=attr)) if _writes(attr):
            return _written_by(before)
        case ast.Call(func=ast.Attribute(value=target, attr=attr)) if _writes(attr):
            return target
    return None


def _writes(method: str) -> bool:
    """Whether a method of tensors of this name works in place."""
    return method.endswith("_") and not method.startswith("_") and method != _SHARES


def _read_by_a_dataset(name: _TensorName, known: list[_Standing]) -> _Standing | None:
    """The line of a dataset's own method that reads the tensor, by its name or by a property."""
    last = name.last
    called_so = {last} if "." in name.text else set(_kept_as(name, known))
    for place in known:
        if isinstance(place.node, ast.FunctionDef) and place.file == name.file:
            decorated = {ast.unparse(one) for one in place.node.decorator_list}
            if "property" in decorated and last in _attributes(place.node):
                called_so.add(place.node.name)
    for place in known:
        found = scope_around(place.file, place.node.lineno)
        if found is None or not isinstance(found[0], ast.FunctionDef) or _is_block(place.node):
            continue
        if found[0].name in _MAKING_ITEMS and called_so & _attributes(place.node):
            return place
    return None


def _kept_as(name: _TensorName, known: list[_Standing]) -> Iterator[str]:
    """The attributes under which datasets keep a tensor that they were given when made."""
    makers = {
        place.node.name: place.node for place in known if isinstance(place.node, ast.ClassDef)
    }
    for place in known:
        if place.file != name.file or _is_block(place.node):
            continue
        if (enclosing_function(place.file, place.node.lineno) or "") != name.scope:
            continue
        for call in ast.walk(place.node):
            if isinstance(call, ast.Call) and called(call) in makers:
                for parameter in _given_as(name, call, makers[called(call)]):
                    yield from _attributes_set_to(parameter, makers[called(call)])


def _given_as(name: _TensorName, call: ast.Call, maker: ast.ClassDef) -> Iterator[str]:
    """The parameters that a class takes the tensor by."""
    for keyword in call.keywords:
        if keyword.arg is not None and ast.unparse(keyword.value) == name.text:
            yield keyword.arg
    places = [n for n, given in enumerate(call.args) if ast.unparse(given) == name.text]
    for node in maker.body:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            parameters = [*node.args.posonlyargs, *node.args.args][1:]
            yield from (parameters[place].arg for place in places if place < len(parameters))


def _attributes_set_to(parameter: str, maker: ast.ClassDef) -> Iterator[str]:
    for node in ast.walk(maker):
        if isinstance(node, ast.Assign) and ast.unparse(node.value) == parameter:
            yield from (target.attr for target in node.targets if isinstance(target, ast.Attribute))


def _attributes(node: ast.AST) -> set[str]:
    return {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}


def _is_block(node: ast.stmt) -> bool:
    """Whether other statements stand inside of it."""
    return hasattr(node, "body")
