"""Lines that put network addresses in an order."""

from __future__ import annotations

import ast
import re

from samebits.core.source.ordered_fields import ORDERING
from samebits.core.source.statement import called, statement_at

_OF_AN_ADDRESS = re.compile(r"addr|endpoint|getsockname|host|port|ur[il]\b", re.IGNORECASE)


def may_order_addresses(file: str, line: int) -> bool:
    """Whether a line compares things with each other: as they are, or by what names an address.

    Args:
        file: The source file; false for one that cannot be read.
        line: The line, counted from 1.
    """
    statement = statement_at(file, line)
    calls = () if statement is None else statement.expressions()
    return any(
        isinstance(node, ast.Call) and called(node) in ORDERING and _by_address(node)
        for node in calls
    )


def _by_address(call: ast.Call) -> bool:
    keys = [ast.unparse(one.value) for one in call.keywords if one.arg == "key"]
    return not keys or _OF_AN_ADDRESS.search(keys[0]) is not None
