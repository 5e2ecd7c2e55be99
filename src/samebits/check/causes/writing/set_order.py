"""Sets that a statement walks, and how to write them in an order that is the same in every run."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from samebits.check.causes.writing.waited_for import in_rounds, in_the_order_of_submission
from samebits.core.source.digests import shows_its_fields
from samebits.core.source.elements import OBJECTS, Elements
from samebits.core.source.expressions import SET_OPERATORS, is_view_of_keys, makes_set
from samebits.core.source.order_tables import FORGETTING, KEEPING_ALL, KEEPING_FIRST, SORTING
from samebits.core.source.statement import Statement, called
from samebits.core.source.weak_collections import is_weak_set

_IF_COMPARABLE = "# If the elements cannot be compared, give sorted() a key."
_LISTING = frozenset({"list", "tuple"})
_KEEP_ORDER = KEEPING_FIRST | {"join", "fromkeys"}
"""Calls that walk their first argument, whatever it is."""
_WALK_ALL = KEEPING_ALL | {"chain", "product"}
_ORDERED_CALLS = _KEEP_ORDER | _WALK_ALL | FORGETTING | SORTING | {"range", "reversed", "dict"}
_ORDERED = (
    *(ast.List, ast.Tuple, ast.Dict, ast.Constant, ast.JoinedStr),
    *(ast.ListComp, ast.GeneratorExp, ast.DictComp),
)
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
_SET_METHODS = frozenset({"union", "intersection", "difference", "symmetric_difference"})
_OF_PLAIN_VALUES = {name for kind in (str, bytes, int, float, tuple) for name in dir(kind)}
_SIMPLE = ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant | ast.JoinedStr


def sorted_sets(statement: Statement, *, comparable: bool | None = None) -> str | None:
    """The statement with the sets that it walks put in order, and hashes made to repeat.

    Where the elements cannot be compared it is advice in a sentence. None when nothing is walked.

    Args:
        statement: The statement.
        comparable: Whether a run has met elements that can be compared; None where it is not known.
    """
    spots = _spots(statement)
    if not spots:
        return None
    elements = Elements(statement.source)
    walked = [spot for spot in spots if not spot.is_hash]
    kinds = [OBJECTS if _are_objects(s.loop) else elements.of(s.walked) for s in walked]
    if any(_are_mixed_constants(spot.walked) for spot in walked):
        return _replaced(statement, spots, ", key=repr")
    if walked and comparable is not True and (OBJECTS in kinds or comparable is False):
        return _by_a_key(statement, walked[kinds.index(OBJECTS) if OBJECTS in kinds else 0])
    written = _replaced(statement, spots)
    sure = comparable or not (None in kinds or "" in kinds)
    return written if sure else f"{_IF_COMPARABLE}\n{written}"


def instead_of_pop(statement: Statement) -> str | None:
    """Advice for `xs.pop()`, where a run has shown `xs` to be a set; None without one."""
    found = (node for node in statement.expressions() if is_pop(node))
    for node in found:
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Attribute)
        text = statement.text_of(node.func.value)
        return (
            f"{text}.pop() removes whichever element the order of the set puts first. Keep "
            f"{text} as a list, or as the keys of a dict (dict.fromkeys(xs), and popitem() in "
            f"place of pop()), or choose the one to remove: x = min({text}, key=...); "
            f"{text}.remove(x)."
        )
    return None


def is_pop(node: ast.AST) -> bool:
    """Whether an expression is `xs.pop()`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "pop"
        and not node.args
        and not node.keywords
    )


def kept_in_order(statement: Statement) -> str | None:
    """Objects that a statement walks, in the order in which they were put in; None for no set.

    `set(xs)` can be written as `dict.fromkeys(xs)`; of a set filled elsewhere it is advice.
    """
    walked = [spot for spot in _spots(statement) if not spot.is_hash]
    if not walked:
        return None
    futures = in_the_order_of_submission(statement, walked[0].walked)
    if futures is not None:
        return statement.replaced([(walked[0].walked, futures)])
    rounds = in_rounds(statement, walked[0].walked)
    if rounds is not None:
        return rounds
    elements = Elements(statement.source)
    kept = [_without_set(statement, spot, elements) for spot in walked]
    if None in kept:
        return _by_a_key(statement, walked[kept.index(None)])
    return statement.replaced(
        [(spot.walked, text) for spot, text in zip(walked, kept, strict=True) if text is not None]
    )


def _without_set(statement: Statement, spot: _Spot, elements: Elements) -> str | None:
    """Without repetitions, in the order of what the set is made of."""
    node = spot.walked
    if isinstance(node, ast.SetComp):
        if any(elements.is_set(part.iter) for part in node.generators):
            return None
        return f"dict.fromkeys({statement.text_of(node).strip()[1:-1].strip()})"
    if isinstance(node, ast.Set):
        return f"dict.fromkeys([{statement.text_of(node).strip()[1:-1].strip()}])"
    if called(node) not in ("set", "frozenset") or not isinstance(node, ast.Call):
        return None
    if len(node.args) != 1 or node.keywords or elements.is_set(node.args[0]):
        return None
    return f"dict.fromkeys({statement.text_of(node.args[0])})"


def _are_mixed_constants(node: ast.expr) -> bool:
    """Whether a set of constants holds what cannot be compared."""
    if not isinstance(node, ast.Set):
        return False
    values = [one.value for one in node.elts if isinstance(one, ast.Constant)]
    numbers = {bool, int, float}
    kinds = {int if type(value) in numbers else type(value) for value in values}
    return len(values) == len(node.elts) and len(kinds) > 1


def _replaced(statement: Statement, spots: Sequence[_Spot], key: str = "") -> str:
    return statement.replaced([(spot.place, _written(statement, spot, key)) for spot in spots])


def _by_a_key(statement: Statement, spot: _Spot) -> str:
    text = statement.text_of(spot.walked)
    by_a_key = (
        "Sort by something that the objects hold, such as a name: "
        f"sorted({text}, key=...) in place of {text}. Or keep them in the order in which they are "
        "added, "
    )
    if is_weak_set(spot.walked, statement.source):
        return (
            f"{by_a_key}under a number that goes up, in a weakref.WeakValueDictionary: it holds "
            "none of them alive either."
        )
    return (
        f"{by_a_key}as the keys of a dict: dict.fromkeys(xs) in place of set(xs), d[x] = None in "
        "place of s.add(x), d.pop(x, None) in place of s.discard(x), del d[x] in place of "
        "s.remove(x)."
    )


@dataclass(frozen=True)
class _Loop:
    """A loop over something: its variable, and the code that uses it."""

    target: ast.expr
    uses: ast.AST


@dataclass(frozen=True)
class _Spot:
    """What is to be put in order.

    Attributes:
        walked: What is walked, or hashed.
        place: The expression to write anew: the same, or the call of `list` or `hash` around it.
        sure: Whether it is a set, or a hash, for all that can be read off.
        loop: The loop that walks it, where one does.
    """

    walked: ast.expr
    place: ast.expr
    sure: bool
    loop: _Loop | None = None

    @property
    def is_hash(self) -> bool:
        return called(self.place) == "hash"


@dataclass(frozen=True)
class Walked:
    """Something that a statement walks or hashes.

    Attributes:
        node: The expression.
        is_hash: Whether it is handed to `hash`.
        is_set: Whether the expression itself says that it is a set.
    """

    node: ast.expr
    is_hash: bool
    is_set: bool


def walked_in(statement: Statement) -> list[Walked]:
    """All that a statement walks or hashes, where the order of it may matter."""
    return [
        Walked(spot.walked, spot.is_hash, spot.sure and not spot.is_hash)
        for spot in _search(statement, given=True)
    ]


@dataclass
class _Search:
    """Goes through expressions, and knows where an order cannot matter.

    Attributes:
        given: Whether what a function gives counts wherever it is walked: a run tells what it was.
        found: What is walked or hashed.
    """

    given: bool = False
    found: list[_Spot] = field(default_factory=list)

    def visit(self, node: ast.AST, matters: bool = True) -> None:
        """Look into an expression; `matters` is whether the order of what it gives does."""
        if isinstance(node, ast.Call):
            self._call(node, matters)
        elif isinstance(node, _COMPREHENSIONS):
            self._comprehension(node, matters)
        elif isinstance(node, ast.Starred | ast.YieldFrom):
            self.walk(node.value, matters)
        elif isinstance(node, ast.Compare):
            self.visit(node.left)
            for operator, right in zip(node.ops, node.comparators, strict=True):
                self.visit(right, not isinstance(operator, ast.In | ast.NotIn))
        else:
            for part in ast.iter_child_nodes(node):
                self.visit(part)

    def walk(
        self,
        node: ast.expr,
        matters: bool,
        loop: _Loop | None = None,
        *,
        call: ast.Call | None = None,
    ) -> None:
        """Note what is walked here, or look into it where it cannot be a set."""
        terms = _terms(node)
        if any(called(term) in _LISTING for term in terms):
            # A set cannot be added to anything: of `rows + list(names)` only the latter may be one.
            for term in terms:
                if called(term) in _LISTING:
                    self.walk(term, matters, loop)
                else:
                    self.visit(term, matters)
            return
        sure = _is_set(node)
        # What a function of the user's gives may be anything; a list of it asks for an order.
        maybe = not isinstance(node, ast.Call) or (
            (call is not None or self.given) and called(node) not in _ORDERED_CALLS
        )
        if matters and (sure or (maybe and not isinstance(node, _ORDERED))):
            is_list = call is not None and called(call) == "list"
            self.found.append(_Spot(node, call if call and is_list else node, sure, loop))
        else:
            self.visit(node, matters)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, matters: bool
    ) -> None:
        matters = matters and not isinstance(node, ast.SetComp)
        for part in node.generators:
            self.walk(part.iter, matters, _Loop(part.target, node))
            for condition in part.ifs:
                self.visit(condition)
        for made in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            self.visit(made)

    def _call(self, node: ast.Call, matters: bool) -> None:
        name, first = called(node), node.args[:1]
        if name == "join" and not _joins_text(node):
            name = ""
        if name == "hash" and isinstance(node.func, ast.Name) and len(node.args) == 1:
            self.found.append(_Spot(node.args[0], node, sure=True))
            return
        if self.given and is_pop(node) and isinstance(node.func, ast.Attribute):
            self.found.append(_Spot(node.func.value, node, sure=False))
            return
        self.visit(node.func)
        keys = [keyword.arg for keyword in node.keywords]
        if name in SORTING and len(node.args) == 1:
            if "key" in keys:  # items whose keys are equal stay in the order in which they came
                self.walk(node.args[0], matters)
            else:
                self.visit(node.args[0], False)
        elif name in FORGETTING:
            for argument in node.args:
                self.visit(argument, False)
        elif name in _KEEP_ORDER and first and not isinstance(first[0], ast.Starred):
            self.walk(first[0], matters, call=node)
        else:
            walks = name in _WALK_ALL
            for argument in node.args:
                if walks and _is_set(argument):
                    self.walk(argument, matters)
                else:
                    self.visit(argument)
        for keyword in node.keywords:
            self.visit(keyword.value)


def _terms(node: ast.expr) -> list[ast.expr]:
    """What is added up in a sum; none of anything else."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return []
    return [*(_terms(node.left) or [node.left]), *(_terms(node.right) or [node.right])]


def _joins_text(node: ast.Call) -> bool:
    """Whether it is a string's join, and not that of os.path, of a thread or of a table."""
    if not isinstance(node.func, ast.Attribute) or len(node.args) != 1 or node.keywords:
        return False
    return isinstance(node.func.value, ast.Constant | ast.JoinedStr) or _is_set(node.args[0])


def _spots(statement: Statement) -> list[_Spot]:
    """What a statement walks or hashes in an order that may differ."""
    return _chosen(statement, _search(statement))


def _search(statement: Statement, *, given: bool = False) -> list[_Spot]:
    search = _Search(given)
    for part in statement.parts():
        if isinstance(statement.node, ast.For) and part is statement.node.iter:
            search.walk(part, True, _Loop(statement.node.target, statement.node))
        else:
            search.visit(part)
    return search.found


def _chosen(statement: Statement, found: Sequence[_Spot]) -> list[_Spot]:
    """All that are sets; where none can be seen to be one, the first, wherever it is walked."""
    sure = [spot for spot in found if spot.sure]
    if sure or not found:
        return sure
    elements = Elements(statement.source)
    named = [spot for spot in found if elements.is_set(spot.walked)]
    if named:
        return named
    first = statement.text_of(found[0].walked)
    return [spot for spot in found if statement.text_of(spot.walked) == first]


def _is_set(node: ast.expr) -> bool:
    """Whether an expression is a set, for all that it says itself."""
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        return isinstance(node.op, SET_OPERATORS) and any(
            _is_set(side) or is_view_of_keys(side) for side in sides
        )
    if called(node) in _SET_METHODS:
        return True
    return makes_set(node)


def _are_objects(loop: _Loop | None) -> bool:
    """Whether a loop asks its variable for what no string, number or tuple has."""
    if loop is None or not isinstance(loop.target, ast.Name):
        return False
    return any(
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == loop.target.id
        and node.attr not in _OF_PLAIN_VALUES
        for node in ast.walk(loop.uses)
    )


def _written(statement: Statement, spot: _Spot, key: str = "") -> str:
    text = statement.text_of(spot.walked)
    if not spot.is_hash:
        return f"sorted({text}{key})"
    if called(spot.walked) == "frozenset":
        return f"zlib.crc32(repr(sorted({text})).encode())"
    kind = Elements(statement.source).one(spot.walked) or ""
    if kind == "bytes" or called(spot.walked) == "encode":
        return f"zlib.crc32({text})"
    if isinstance(spot.walked, ast.Tuple) or kind.startswith("("):
        return f"zlib.crc32(repr({text}).encode())"
    if text == "self":
        of = "self" if shows_its_fields(statement) else "vars(self)"
        return f"zlib.crc32(repr({of}).encode())"
    text = text if isinstance(spot.walked, _SIMPLE) else f"({text})"
    return f"zlib.crc32({text}.encode())"
