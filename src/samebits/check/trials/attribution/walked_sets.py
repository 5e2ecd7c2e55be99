"""What the sets that a line walks go by: their elements, as a traced run met them, tell it.

Instances of a class without a `__hash__` of its own lie in the order of their addresses, strings in
that of the hash seed, numbers in the same order in every run.
"""

from __future__ import annotations

import ast
import functools
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from samebits.check.causes.culprit import GoesBy, WalkedSet
from samebits.check.causes.writing.set_order import walked_in
from samebits.check.trace import values_format as form
from samebits.check.trace.reader import Trace
from samebits.check.trace.values_format import Hashes, PlaceKind, ValueKind
from samebits.check.trace.values_reader import ProcessValues, read_values
from samebits.core.source.elements import Elements
from samebits.core.source.expressions import is_view_of_keys, makes_set
from samebits.core.source.sets_by_key import holds_sets
from samebits.core.source.statement import (
    Statement,
    called,
    enclosing_function,
    statements_in,
    statements_on,
)
from samebits.core.source.weak_collections import is_weak_set

_RESULT = -1
_COPIES = frozenset(
    {"set", "frozenset", "list", "tuple", "sorted", "iter", "reversed", "enumerate"}
)
_COMBINES = frozenset({"union", "intersection", "difference", "symmetric_difference", "copy"})
_ELEMENTWISE = (ast.SetComp, ast.GeneratorExp, ast.ListComp)
_HOLDING = frozenset({ValueKind.SET, ValueKind.LIST, ValueKind.TUPLE, ValueKind.DICT})
_OF_STATIC_KIND = {"text": Hashes.HASH_SEED, "bytes": Hashes.HASH_SEED, "numbers": Hashes.VALUE}
_NONE = Hashes(0)


def walked_set(run: str | os.PathLike[str], file: str | None, line: int | None) -> WalkedSet | None:
    """What is known of the sets that a line walks; None where it walks none.

    Args:
        run: Folder of a run whose values were traced.
        file: The file.
        line: The line, counted from 1.

    Returns:
        None too where the run did not come there.

    Raises:
        TraceError: The trace is damaged.
    """
    if file is None or line is None:
        return None
    return next(_walked(_seen(os.fspath(run)), [(file, line)]), None)


def walks_no_set(run: str | os.PathLike[str], file: str | None, line: int | None) -> bool:
    """Whether all that a line walks is known, and none of it is a set; as `walked_set`."""
    if file is None or line is None:
        return False
    seen = _seen(os.fspath(run))
    statements = statements_on(file, line)
    walks = any(walked_in(statement) for statement in statements)
    return walks and all(_Line(seen, file, one).walks_none() for one in statements)


def script_walks_a_set(trace: Trace) -> bool:
    """Whether a line of a run's script walks what itself says that it is a set.

    Args:
        trace: The run; of its files, those that can be read now are looked into.
    """
    paths = [str(file.get("path")) for file in (trace.manifest.script, *trace.manifest.code)]
    return any(map(_walks_a_set, dict.fromkeys(paths)))


def _walks_a_set(path: str) -> bool:
    found = (walked for statement in statements_in(path) for walked in walked_in(statement))
    return any(walked.is_set for walked in found)


@dataclass(frozen=True)
class _Met:
    """What a value was, over all times that a line ended.

    Attributes:
        hashes: What it, or its elements, are hashed by.
        is_set: Whether it ever was a set.
        pins: Whether it ever was a container.
    """

    hashes: Hashes = _NONE
    is_set: bool = False
    pins: bool = False

    def __or__(self, other: _Met) -> _Met:
        return _Met(
            self.hashes | other.hashes, self.is_set or other.is_set, self.pins or other.pins
        )


@dataclass(frozen=True)
class _Seen:
    """What a run's lines mention, and what its functions gave back.

    Attributes:
        values: (file, line) → name as the line mentions it → what it was.
        results: Last name of a function → what it gave back.
    """

    values: Mapping[tuple[str, int], Mapping[str, _Met]]
    results: Mapping[str, _Met]

    @classmethod
    def of(cls, processes: Iterable[ProcessValues]) -> _Seen:
        values: dict[tuple[str, int], dict[str, _Met]] = {}
        results: dict[str, _Met] = {}
        for file, line, function, name, met in _each(processes):
            if name is None:
                results[function] = results.get(function, _Met()) | met
            else:
                here = values.setdefault((file, line), {})
                here[name] = here.get(name, _Met()) | met
        return cls(values, results)

    def lines(self) -> Iterator[tuple[str, int]]:
        yield from self.values


@functools.lru_cache(maxsize=2)
def _seen(run: str) -> _Seen:
    """What a run has written, which is asked for several of its lines."""
    return _Seen.of(read_values(run).values())


def _each(
    processes: Iterable[ProcessValues],
) -> Iterator[tuple[str, int, str, str | None, _Met]]:
    """File, line and function, the name of a value (None: what a call gave back), and the value."""
    for process in processes:
        told = process.values & np.uint64(_TOLD)
        for stream in process.streams.values():
            order = np.argsort(stream.places, kind="stable")
            numbers, begins = np.unique(stream.places[order], return_index=True)
            for number, events in zip(numbers, np.split(order, begins[1:]), strict=True):
                place = process.places[int(number)]
                skipped = place.kind is PlaceKind.CALL
                function = place.function.rpartition(".")[2]
                for slot in range(skipped, place.values):
                    mentioned = slot - skipped < len(place.mentions)
                    name = place.mentions[slot - skipped] if mentioned else None
                    values = np.unique(told[stream.first_value[events] + slot])
                    met = _met(values.tolist(), 0 if name is None else name.count("."))
                    if met is not None:
                        yield place.file, place.line, function, name, met


_TOLD = (1 << form.KIND_BITS + form.DEPTH_BITS + form.HASHES_BITS) - 1


def _met(values: Iterable[int], attributes: int) -> _Met | None:
    """What values were that were reached through so many attributes; None where none was."""
    found = None
    for value in values:
        if value >> form.KIND_BITS & ((1 << form.DEPTH_BITS) - 1) != attributes:
            continue  # of a chain of attributes only its beginning
        kind = value & ((1 << form.KIND_BITS) - 1)
        hashes = Hashes(value >> form.KIND_BITS + form.DEPTH_BITS)
        one = _Met(hashes, kind == ValueKind.SET, kind in _HOLDING)
        found = one if found is None else found | one
    return found


def _walked(seen: _Seen, lines: Iterable[tuple[str, int]]) -> Iterator[WalkedSet]:
    done = set()
    for file, line in lines:
        for statement in statements_on(file, line):
            begins = statement.node.lineno
            if (file, begins) in done:
                continue
            done.add((file, begins))
            met = _Line(seen, file, statement).goes_by()
            if met is not None:
                ordered = not met.hashes & Hashes.NOT_ORDERED
                yield WalkedSet(
                    file=file,
                    line=begins,
                    goes_by=_in_words(met.hashes),
                    ordered=ordered,
                    is_set=met.is_set,
                )


def _in_words(hashes: Hashes) -> GoesBy:
    by = hashes & ~(Hashes.VALUE | Hashes.NOT_ORDERED)
    if by == Hashes.IDENTITY:
        return "identity"
    if by == Hashes.HASH_SEED:
        return "string"
    if by & Hashes.OWN or not hashes & ~Hashes.NOT_ORDERED:
        return "unknown"
    return "mixed" if by else "value"


@dataclass(frozen=True)
class _Line:
    """One statement, and what its names were."""

    seen: _Seen
    file: str
    statement: Statement

    def goes_by(self) -> _Met | None:
        """What all sets together go by that the statement walks; None where it walks none."""
        found = None
        for walked in walked_in(self.statement):
            met = self._of_hash(walked.node) if walked.is_hash else self._of(walked.node)
            if met.hashes == Hashes.OWN and not walked.is_hash:
                met = replace(met, hashes=self._of_what_is_made(walked.node) or met.hashes)
            if met.is_set or walked.is_hash or (walked.is_set and not met.pins):
                found = met if found is None else found | met
        if self._asks_for_address():
            met = _Met(Hashes.IDENTITY)
            found = met if found is None else found | met
        return found

    def walks_none(self) -> bool:
        """Whether each thing that the statement walks is known to be something else.

        Whatever it names may be walked by what it calls: `parts.extend(names)`, `map(len, names)`.
        """
        for walked in walked_in(self.statement):
            if walked.is_hash or walked.is_set:
                return False
            met = self._of(walked.node)
            if met.is_set or not met.pins:
                return False
        return not self._names_a_set() and not self._asks_for_address()

    def _names_a_set(self) -> bool:
        for node in self.statement.expressions():
            if isinstance(node, ast.Name | ast.Attribute):
                met = self._named(node)
                if met is not None and met.is_set:
                    return True
            elif makes_set(node):
                return True
        return False

    def _asks_for_address(self) -> bool:
        return any(
            isinstance(node, ast.Name) and node.id == "id" for node in self.statement.expressions()
        )

    def _of_hash(self, node: ast.expr) -> _Met:
        return self._named(node) or self._told_by_source(node, one=True)

    def _of(self, node: ast.expr) -> _Met:
        """What is known of the elements of what an expression gives."""
        match node:
            case ast.Name() | ast.Attribute() if is_weak_set(node, self.statement.source):
                return _Met(self._of_what_is_taken() or Hashes.OWN, True, True)
            case ast.Name() | ast.Attribute():
                return self._named(node) or self._told_by_source(node)
            case ast.Set(elts=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
                met = _Met()
                for part in parts:
                    met |= self._of_hash(part)
                return _Met(met.hashes, isinstance(node, ast.Set), True)
            case ast.SetComp() | ast.GeneratorExp() | ast.ListComp():
                met = self._of_hash(node.elt)
                return _Met(met.hashes, isinstance(node, ast.SetComp), True)
            case ast.BinOp(left=left, right=right):
                met = self._of(left) | self._of(right)
                views = is_view_of_keys(left) or is_view_of_keys(right)
                return _Met(met.hashes, met.is_set or views, met.pins)
            case ast.Call():
                return self._of_call(node)
            case ast.Subscript() if holds_sets(node, self.statement.source):
                return _Met(self._of_what_is_taken() or Hashes.OWN, True, True)
        return _Met(Hashes.OWN)

    def _of_what_is_taken(self) -> Hashes:
        """What the elements go by that the statement takes from what it walks, one or all of them.

        Items of a dict are no variables, whose values a run has looked at; what is stored is one.
        """
        match self.statement.node:
            case ast.For(target=target) | ast.Assign(targets=[target]):
                met = self._named(target) if isinstance(target, ast.Name) else None
                return _NONE if met is None else met.hashes
        return _NONE

    def _of_what_is_made(self, walked: ast.expr) -> Hashes:
        """What the elements go by of a copy of what is walked, which is stored or given back."""
        match self.statement.node:
            case ast.Return(value=ast.expr() as made):
                function = enclosing_function(self.file, self.statement.node.lineno)
                met = self.seen.results.get(function or "")
            case ast.Assign(targets=[ast.Name() as target], value=made):
                met = self._named(target)
            case _:
                return _NONE
        while made is not walked and called(made) in _COPIES and isinstance(made, ast.Call):
            made = made.args[0] if made.args else walked
        return met.hashes if made is walked and met is not None else _NONE

    def _of_call(self, node: ast.Call) -> _Met:
        name = called(node)
        if name in _COPIES and node.args:
            met = self._of(node.args[0])
            return _Met(met.hashes, met.is_set or name in ("set", "frozenset"), True)
        if name in _COMBINES and isinstance(node.func, ast.Attribute):
            met = self._of(node.func.value)
            for argument in node.args:
                met |= self._of(argument)
            return met
        if is_view_of_keys(node) and isinstance(node.func, ast.Attribute):
            return _Met(self._of(node.func.value).hashes, False, True)
        return self.seen.results.get(name) or self._told_by_source(node)

    def _named(self, node: ast.expr) -> _Met | None:
        """What a name was that stands in the statement, on whichever of its lines."""
        name = ast.unparse(node)
        found = None
        end = self.statement.node.end_lineno or self.statement.node.lineno
        for line in range(self.statement.node.lineno, end + 1):
            met = self.seen.values.get((self.file, line), {}).get(name)
            if met is not None:
                found = met if found is None else found | met
        return found

    def _told_by_source(self, node: ast.expr, *, one: bool = False) -> _Met:
        elements = Elements(self.statement.source)
        kind = elements.one(node) if one else elements.of(node)
        return _Met(_OF_STATIC_KIND.get(kind or "", Hashes.OWN))
