"""Operations that the dispatcher computes by itself when their arguments are plain.

A shortcut is (kind, kernel for tensors (or which of the rows), kernel for a tensor and a number or
−1, whether the number's sign is turned), as in `native/python/exact/shortcuts.hpp`. What it
declines goes to the function of the operation's row.
"""

from __future__ import annotations

Shortcut = tuple[int, int, int, bool]

UNARY, UNARY_IN_PLACE, BINARY, BINARY_IN_PLACE, PRODUCT, PRODUCT_ADDED, SUM = range(1, 8)
CLASS_LOSS: Shortcut = (9, 0, -1, False)
CLASS_LOSS_BACKWARD: Shortcut = (10, 0, -1, False)
_ROWS = 8


def of_rows(number: int) -> Shortcut:
    """Softmax over the last axis, its logarithm, or the derivatives of these: 0 to 3."""
    return (_ROWS, number, -1, False)


def in_place(shortcut: Shortcut | None) -> Shortcut | None:
    """The shortcut of the form that changes its first argument, where that has one."""
    if shortcut is None or shortcut[0] not in (UNARY, BINARY):
        return None
    return (shortcut[0] + 1, *shortcut[1:])
