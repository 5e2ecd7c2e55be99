"""The dispatch mode through which torch hands over every operation inside `exact()`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _pop_mode, _push_mode

from samebits.arithmetic import _exact
from samebits.arithmetic.registry import is_among


class ExactMode(TorchDispatchMode):
    """Gives every operation of its thread to the native dispatcher.

    torch looks `__torch_dispatch__` up on the instance and demands that it is bound to it; a C
    function whose `__self__` is the mode satisfies both and saves a Python call an operation.

    Args:
        dispatcher: What the operations are given to.
        allow: Names of the operations that it lets through although they are not exact.
        allowed_used: Called with the name of each of them that is met.
        block: Opens a block such as this one in another process; it can be pickled.

    Attributes:
        lets_compile: Whether torch.compile need not mind this mode: while the code runs that our
            own backend has compiled (`samebits.arithmetic.compiling`).
    """

    supports_higher_order_operators = True

    def __init__(
        self,
        dispatcher: _exact.Dispatcher,
        *,
        allow: frozenset[str],
        allowed_used: Callable[[str], None],
        block: Callable[[], AbstractContextManager[object]],
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.allow = allow
        self._allowed_used = allowed_used
        self.block = block
        self.dispatcher = dispatcher  # the native function below holds only its address
        self.lets_compile = False
        self.__dict__["__torch_dispatch__"] = dispatcher.bind(self)

    def lets_through(self, name: str) -> bool:
        """Whether torch's own composition of an operation is let through; if so, it is noted."""
        allowed = is_among(self.allow, name)
        if allowed:
            self._allowed_used(name)
        return allowed

    def ignore_compile_internals(self) -> bool:  # type: ignore[override]
        """What torch.compile asks every mode; torch's own is a class method, called on the mode."""
        return self.lets_compile

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise AssertionError("the instance's native __torch_dispatch__ stands before this one")


def innermost() -> ExactMode | None:
    """The mode of the innermost exact block that is open on this thread."""
    for place in reversed(range(torch._C._len_torch_dispatch_stack())):
        mode = torch._C._get_dispatch_stack_at(place)
        if isinstance(mode, ExactMode):
            return mode
    return None


def active() -> bool:
    """Whether an exact block is open on this thread."""
    return innermost() is not None


@contextmanager
def below_others(mode: TorchDispatchMode) -> Iterator[None]:
    """Put a mode on the thread's stack under those that are there, for the length of a block.

    What watches operations (a recorder, a profiler of operations) then sees the script's own, and
    the results that they come to, not the pieces of which an exact result is made.
    """
    with _others_lifted(None):
        mode.__enter__()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        with _others_lifted(mode):
            mode.__exit__(None, None, None)  # type: ignore[no-untyped-call]


@contextmanager
def _others_lifted(down_to: TorchDispatchMode | None) -> Iterator[None]:
    """Take the modes above one (or all of them) off the stack; put them back after the block."""
    lifted = []
    try:
        while torch._C._len_torch_dispatch_stack():
            depth = torch._C._len_torch_dispatch_stack()
            top = torch._C._get_dispatch_stack_at(depth - 1)
            if top is down_to or (down_to is None and isinstance(top, ExactMode)):
                break
            lifted.append(_pop_mode())
        yield
    finally:
        for other in reversed(lifted):
            _push_mode(other)
