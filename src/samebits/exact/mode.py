"""The dispatch mode through which torch hands over every operation inside `exact()`."""

from __future__ import annotations

from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode

from samebits import _exact


class ExactMode(TorchDispatchMode):
    """Gives every operation of its thread to the native dispatcher.

    torch looks `__torch_dispatch__` up on the instance and demands that it is bound to it; a C
    function whose `__self__` is the mode satisfies both and saves a Python call an operation.
    """

    supports_higher_order_operators = True

    def __init__(self, dispatcher: _exact.Dispatcher) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._dispatcher = dispatcher  # the native function below holds only its address
        self.__dict__["__torch_dispatch__"] = dispatcher.bind(self)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise AssertionError("the instance's native __torch_dispatch__ stands before this one")
