"""Steps of several optimizers in a row, whose order changes nothing that they leave.

Where each parameter has an optimizer of its own, and these step in the order of a set, two runs
take the same steps in another order. Which steps may stand in any order is seen where they are
taken, and noted for the comparison: each is another optimizer's, over parameters of its own; and
no two of them make different things of parameters that were alike before, since only their names
would tell those apart.
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
    """

    def __init__(
        self, digest: Callable[[Any], int], parameters: Callable[[Any], Sequence[Any]]
    ) -> None:
        self._digest = digest
        self._parameters = parameters
        self._optimizers: WeakKeyDictionary[Any, None] = WeakKeyDictionary()
        self._found: list[tuple[int, int]] = []
        self._before: dict[Any, int] = {}
        self._row = _Row(0)

    def begins(self, optimizer: Any) -> None:
        """An optimizer is about to step."""
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
        ids = {id(parameter) for parameter in self._parameters(optimizer)}
        follows = not any(digests.get(name) for name in _COMPUTED)
        if before is None or not follows or not self._row.ids.isdisjoint(ids):
            self._close()
            self._row = _Row(step)
        if before is None:
            return
        left = tuple(digests.get(name, 0) for name in _LEFT)
        self._row.ids |= ids
        self._row.end = step + 1
        if self._row.left.setdefault(before, left) != left:
            self._row.any_order = False

    def noted(self) -> list[list[int]]:
        """The rows in which steps may stand in any order: first row of steps.arrow, and the end."""
        self._close()
        return [list(span) for span in self._found]

    def _close(self) -> None:
        row = self._row
        if row.any_order and row.end - row.begin > 1 and len(self._found) < _MOST:
            span = (row.begin, row.end)
            if self._found[-1:] != [span]:
                self._found.append(span)


class _Row:
    def __init__(self, begin: int) -> None:
        self.begin = self.end = begin
        self.ids: set[int] = set()
        self.left: dict[int, tuple[Any, ...]] = {}
        self.any_order = True
