"""The order in which an optimizer's parameters are digested.

It is the order in which it was given them. A set has none: where an optimizer was given one, two
runs hold the same parameters in another order, which changes no bit of them.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any
from weakref import WeakSet

import torch

from samebits.check.record.function_hooks import CALL, hook_function
from samebits.core import _native
from samebits.core.fingerprint.tree import fingerprint
from samebits.errors import SamebitsError


class OptimizerOrder:
    """Remembers which optimizers were given their parameters in no order."""

    def __init__(self) -> None:
        self._given_sets: WeakSet[Any] = WeakSet()

    def listen(self, native: _native.Recorder) -> Callable[[], None]:
        """Hear of each optimizer that is made; the function returned ends that."""
        return hook_function(native, torch.optim.Optimizer, "__init__", CALL, self._made)

    def parameters(self, optimizer: Any) -> list[Any]:
        """The parameters of all groups: as they were given, or by content where that was a set."""
        found = [p for group in optimizer.param_groups for p in group["params"]]
        if optimizer not in self._given_sets:
            return found
        try:
            return sorted(found, key=lambda p: fingerprint([p, p.grad]))
        except SamebitsError:
            return found  # one of them is of a kind of tensor that has no fingerprint

    def _made(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        given = kwargs.get("params", args[1] if len(args) > 1 else None)
        if isinstance(given, Set) and args:
            self._given_sets.add(args[0])
