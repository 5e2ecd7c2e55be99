"""Lines that put network addresses in an order."""

from __future__ import annotations

import ast
import re

from samebits.core.source.statement import called, statement_at

_OF_AN_ADDRESS = re.compile(
    r"(?<![a-z])(?:addr(?:ess)?|endpoint|getsockname|host|port|ur[il])(?![a-z])", re.IGNORECASE
)
_HEAPS = frozenset({"heapify", "heappush", "heappushpop", "heapreplace", "nlargest", "nsmallest"})
_OF_ARRAYS = frozenset({"np", "numpy", "torch"})


def may_order_addresses(file: str, line: int) -> bool:
    """Whether a line compares things with each other: as they are, or by what names an address.

    Args:
        file: The source file; false for one that cannot be read.
        line: The line, counted from 1.
    """
    statement = statement_at(file, line)
    nodes = () if statement is None else statement.expressions()
    calls = (node for node in nodes if isinstance(node, ast.Call))
    return any(_orders(call) and _by_address(call) for call in calls)


def _orders(call: ast.Call) -> bool:
    """Whether what a collection holds is compared; a method of a tensor compares numbers."""
    name, function = called(call), call.func
    if name in _HEAPS:
        return True
    if isinstance(function, ast.Name):
        return name == "sorted" or (name in ("max", "min") and len(call.args) == 1)
    return (
        name == "sort"
        and isinstance(function, ast.Attribute)
        and not call.args
        and not (isinstance(function.value, ast.Name) and function.value.id in _OF_ARRAYS)
    )


def _by_address(call: ast.Call) -> bool:
    keys = [ast.unparse(one.value) for one in call.keywords if one.arg == "key"]
    return not keys or _OF_AN_ADDRESS.search(keys[0]) is not None
