"""Operations that the dispatcher computes by itself when their arguments are plain.

A shortcut is (kind, kernel for tensors, kernel for a tensor and a number or −1, whether the
number's sign is turned), as in `native/python/exact/shortcuts.hpp`. What it declines goes to the
function of the operation's row.
"""

from __future__ import annotations

Shortcut = tuple[int, int, int, bool]

UNARY, UNARY_IN_PLACE, BINARY, BINARY_IN_PLACE, PRODUCT, PRODUCT_ADDED, SUM = range(1, 8)


def in_place(shortcut: Shortcut | None) -> Shortcut | None:
    """The shortcut of the form that changes its first argument, where that has one."""
    if shortcut is None or shortcut[0] not in (UNARY, BINARY):
        return None
    return (shortcut[0] + 1, *shortcut[1:])
