"""Steps of several optimizers in a row, whose order changes nothing that they leave.

Where each parameter has an optimizer of its own, and these step in the order of a set, two runs
take the same steps in another order. Which steps may stand in any order is seen where they are
taken, and noted for the comparison: each is another optimizer's, over parameters of its own; no two
of them make different things of parameters that were alike before, since only their names would
tell those apart; and nothing was computed between the steps of the first such row, up to which
operations are recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

_COMPUTED = ("batch", "outputs", "loss")
"""Digests that a step lacks where it follows another one without a pass between."""
_LEFT = ("gradients", "parameters", "optimizer")
_MOST = 100_000


class StepsInARow:
    """Listens to the steps of one recorder.

    Args:
        digest: Gives the digest of a list of tensors.
        parameters: Gives an optimizer's, in the order in which they are digested.
        operations: How many operations were recorded; None where none would be.
    """

    def __init__(
        self,
        digest: Callable[[Any], int],
        parameters: Callable[[Any], Sequence[Any]],
        operations: Callable[[], int | None],
    ) -> None:
        self._digest = digest
        self._parameters = parameters
        self._operations = operations
        self._after_the_last: int | None = None
        self._computes_nothing_between = True
        self._first_row: _Row | None = None
        self._optimizers: WeakKeyDictionary[Any, None] = WeakKeyDictionary()
        self._found: list[list[int]] = []
        self._before: dict[Any, int] = {}
        self._is_next = False
        self._noted = 0
        self._row = _Row(0)

    def begins(self, optimizer: Any) -> None:
        """An optimizer is about to step."""
        recorded = self._operations()
        self._is_next = recorded is not None and recorded == self._after_the_last
        known = optimizer in self._optimizers
        self._optimizers[optimizer] = None
        # A single optimizer makes no row; that it is the only one is not known at its first step.
        if not known or len(self._optimizers) > 1:
            self._before = {optimizer: self._digest(self._parameters(optimizer))}

    def ended(self, optimizer: Any, step: int, digests: Mapping[str, Any]) -> None:
        """It has stepped.

        Args:
            optimizer: The optimizer.
            step: The number of its row in steps.arrow.
            digests: What stands in that row.
        """
        before = self._before.pop(optimizer, None)
        is_next, self._after_the_last = self._is_next, self._operations()
        ids = {id(parameter) for parameter in self._parameters(optimizer)}
        follows = not any(digests.get(name) for name in _COMPUTED)
        if before is None or not follows or not self._row.ids.isdisjoint(ids):
            self._close()
            self._row = _Row(step)
        if before is None:
            return
        left = tuple(digests.get(name, 0) for name in _LEFT)
        if self._row.before:
            self._first_row = self._first_row or self._row
            if self._row is self._first_row:
                self._computes_nothing_between &= is_next
        self._row.ids |= ids
        self._row.before.append(before)
        if self._row.left.setdefault(before, left) != left:
            self._row.any_order = False

    def noted(self) -> list[list[int]]:
        """The rows in which steps may stand in any order.

        Returns:
            For each its first row in steps.arrow, and the digests of what each step began with.
        """
        self._close()
        return self._found if self._computes_nothing_between else []

    def _close(self) -> None:
        row = self._row
        if row.any_order and len(row.before) > 1 and self._noted < _MOST and not row.is_closed:
            self._found.append([row.begin, *row.before])
            self._noted += len(row.before)
        row.is_closed = True


class _Row:
    def __init__(self, begin: int) -> None:
        self.begin = begin
        self.before: list[int] = []
        self.is_closed = False
        self.ids: set[int] = set()
        self.left: dict[int, tuple[Any, ...]] = {}
        self.any_order = True
