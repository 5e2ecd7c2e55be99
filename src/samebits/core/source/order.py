"""Whether the order in which an expression gives its items can reach a result.

Doubtful cases count as harmless: removing every file of a folder needs no order, and an accusation
of right code costs more than a mistake that `samebits check` will find when it matters.
"""

from __future__ import annotations

import ast

from samebits.core.source.expressions import place
from samebits.core.source.order_tables import (
    FORGETTING,
    KEEPING_ALL,
    KEEPING_FIRST,
    SORTING,
    SORTING_WORDS,
)
from samebits.core.source.parsed import ParsedSource

_ORDER_FREE = frozenset(f"builtins.{name}" for name in SORTING | FORGETTING) | {
    *("collections.Counter", "natsort.natsorted", "natsort.os_sorted"),
}
_ORDER_KEEPING = frozenset(
    f"builtins.{name}" for name in KEEPING_FIRST | KEEPING_ALL | {"reversed"}
)
# A name that is used more often than this is no person's variable for a list of files.
_USES_LOOKED_AT = 100
_TAKING_IN_ORDER = frozenset(
    {
        "builtins.next",
        "random.choice",
        "random.choices",
        "random.sample",
        "random.shuffle",
        "numpy.array",
        "numpy.asarray",
        "numpy.concatenate",
        "numpy.stack",
        "torch.tensor",
        "torch.as_tensor",
        "torch.cat",
        "torch.stack",
        "pandas.Series",
        "pandas.DataFrame",
        "pandas.concat",
    }
)
COLLECTING = frozenset(
    [
        "append",
        "extend",
        "appendleft",
        "insert",
        "write",
        "writelines",
        "writerow",
        "writestr",
        "put",
        "put_nowait",
        "add_row",
        "push_back",
        "appended",
        "step",
        "backward",
        "update_state",
    ]
)
"""Methods that put what they are given behind, or on top of, what was there before."""


def order_matters(parsed: ParsedSource, node: ast.expr, *, ordered: bool = True) -> bool:
    """Whether items taken from an expression, in the order that it gives them, reach a result.

    Args:
        parsed: The file.
        node: The expression that gives items in an order of its own.
        ordered: Whether the expression is a sequence already. A set is not: returning or keeping
            it shows its order to nobody, until something goes through it.
    """
    tree = parsed.tree
    current: ast.AST = node
    for parent in tree.ancestors(node):
        if isinstance(parent, ast.Call):
            name = parsed.names.qualified(parent.func) or ""
            if name not in _ORDER_KEEPING or parent.func is current:
                return _call_keeps_order(parsed, parent, name, current, ordered=ordered)
            ordered = True
        elif isinstance(parent, ast.comprehension):
            holder = tree.parents[parent]
            if parent.iter is not current or isinstance(holder, ast.SetComp):
                return False
            if isinstance(holder, ast.DictComp):
                return _numbers_its_items(parsed, parent.iter)
            ordered = True
        elif isinstance(parent, ast.For | ast.AsyncFor):
            return parent.iter is current and _body_keeps_order(parsed, parent)
        elif isinstance(parent, ast.Assign | ast.AnnAssign):
            return _assigned_matters(parsed, parent, ordered=ordered)
        elif isinstance(parent, ast.YieldFrom):
            return True
        elif isinstance(parent, ast.Return | ast.Yield):
            return ordered
        elif isinstance(parent, ast.Subscript):
            return ordered and parent.value is current
        elif isinstance(parent, ast.Starred):
            ordered = True
        elif isinstance(parent, ast.List | ast.Tuple):
            if not isinstance(current, ast.Starred):
                return False
        elif isinstance(parent, ast.BinOp):
            if not ordered or not isinstance(parent.op, ast.Add):
                return False
        elif isinstance(parent, ast.IfExp):
            if parent.test is current:
                return False
        elif isinstance(parent, ast.ListComp | ast.GeneratorExp):
            if parent.elt is current:  # one of many: which order it has is its own affair
                return False
        else:
            return False
        current = parent
    return False


def _call_keeps_order(
    parsed: ParsedSource, call: ast.Call, name: str, inner: ast.AST, *, ordered: bool
) -> bool:
    """Whether a call hands the order of its argument on to a result."""
    if call.func is inner or name in _ORDER_FREE:
        return False
    function = call.func
    attribute = function.attr if isinstance(function, ast.Attribute) else ""
    plain = function.id if isinstance(function, ast.Name) else attribute
    if any(word in plain.lower() for word in SORTING_WORDS):
        return False
    if attribute in ("join", "extend") or name in _TAKING_IN_ORDER:
        return True
    # Any other function may well sort, or not care.
    return ordered and name.startswith("numpy.random.")


def _numbers_its_items(parsed: ParsedSource, node: ast.expr) -> bool:
    """Whether a mapping is built from numbered items: {w: i for i, w in enumerate(...)}."""
    return parsed.names.called(node) == "builtins.enumerate"


def _body_keeps_order(parsed: ParsedSource, loop: ast.For | ast.AsyncFor) -> bool:
    """Whether a loop's body collects, numbers, writes or yields in the order of its items."""
    if parsed.names.called(loop.iter) == "builtins.enumerate":
        return True
    counters = _counted_up(loop)
    collected: set[str] = set()
    for statement in loop.body:
        for part in ast.walk(statement):
            if isinstance(part, ast.Yield | ast.YieldFrom):
                return True
            if isinstance(part, ast.Assign) and _numbers_an_item(parsed, part, counters):
                return True
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
                if part.func.attr in COLLECTING:
                    collected.add(place(part.func.value))
            elif isinstance(part, ast.AugAssign) and isinstance(
                part.value, ast.List | ast.Tuple | ast.ListComp
            ):
                # A count is the same in any order, a list is not.
                collected.add(place(part.target))
    return any(not _is_sorted_later(parsed, name, loop) for name in collected)


def _counted_up(loop: ast.For | ast.AsyncFor) -> frozenset[str]:
    """Names to which a loop's body adds a number: i += 1."""
    return frozenset(
        part.target.id
        for part in ast.walk(loop)
        if isinstance(part, ast.AugAssign)
        and isinstance(part.op, ast.Add)
        and isinstance(part.target, ast.Name)
        and isinstance(part.value, ast.Constant)
    )


def _numbers_an_item(parsed: ParsedSource, statement: ast.Assign, counters: frozenset[str]) -> bool:
    """Whether an item gets the next free number: ids[word] = len(ids), or a counter."""
    value = statement.value
    for target in statement.targets:
        if not isinstance(target, ast.Subscript) or isinstance(target.slice, ast.Constant):
            continue
        if isinstance(value, ast.Name) and value.id in counters:
            return place(target.slice) != value.id
        if parsed.names.called(value) == "builtins.len":
            assert isinstance(value, ast.Call)
            return any(ast.dump(part) == ast.dump(target.value) for part in value.args)
    return False


def _assigned_matters(
    parsed: ParsedSource, statement: ast.Assign | ast.AnnAssign, *, ordered: bool
) -> bool:
    """Whether a variable that holds items in such an order is used where it matters."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    if len(targets) != 1:
        return False
    target = targets[0]
    if isinstance(target, ast.Attribute):
        return ordered and not _is_sorted_later(parsed, place(target), statement)
    if not isinstance(target, ast.Name) or _is_sorted_later(parsed, target.id, statement):
        return False
    scope = parsed.tree.scope_of(statement)
    uses = parsed.tree.uses.get(target.id, ())[:_USES_LOOKED_AT]
    later = [
        use
        for use in uses
        if (use.lineno, use.col_offset) > _end(statement) and _within(parsed, use, scope.node)
    ]
    return any(_use_matters(parsed, use, ordered=ordered) for use in later)


def _use_matters(parsed: ParsedSource, use: ast.Name, *, ordered: bool) -> bool:
    """As `order_matters`, for a variable; one assignment deep."""
    parent = parsed.tree.parents[use]
    if isinstance(parent, ast.Assign | ast.AnnAssign):
        return False
    return order_matters(parsed, use, ordered=ordered)


def _is_sorted_later(parsed: ParsedSource, name: str, after: ast.stmt) -> bool:
    """Whether something after a statement sorts a variable: x.sort(), x = sorted(x)."""
    last = parsed.last_sorted.get(name)
    return last is not None and last >= (after.lineno, after.col_offset)


def _within(parsed: ParsedSource, node: ast.AST, around: ast.AST) -> bool:
    return around is parsed.tree.root or any(a is around for a in parsed.tree.ancestors(node))


def _end(statement: ast.stmt) -> tuple[int, int]:
    return (statement.end_lineno or statement.lineno, statement.end_col_offset or 0)
