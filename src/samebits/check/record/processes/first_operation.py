"""Whether a process computes with torch at all: a dispatch mode that leaves after one operation.

What is asked is one bit, and a mode that stays would slow every operation of a training down. A
mode cannot take itself away while it handles an operation, since torch puts it back when the
handler returns; so it is taken away by a pending call of the interpreter, which runs between two
instructions of Python, once the operation is done. No instruction of Python's may follow inside the
handler, after which the call would run too early: a weak reference asks for it, in C, when the
handler's frame goes.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class _Mark:
    """Goes with the frame that holds it."""


class FirstOperation(TorchDispatchMode):
    """Tells of the first operation that the thread dispatches which enters this mode, and leaves.

    Where the script has entered a mode of its own in the meantime, it leaves after a later one.

    Args:
        tell: Called at that operation, before it is done.
    """

    supports_higher_order_operators = True

    def __init__(self, tell: Callable[[], None]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._tell: Callable[[], None] | None = tell
        self._mark: weakref.ref[_Mark] | None = None
        # ctypes keeps nothing alive that C may still call.
        self._leave_it = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(self._leave)
        ask = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.py_object)(
            ctypes.cast(ctypes.pythonapi.Py_AddPendingCall, ctypes.c_void_p).value or 0
        )
        # The second argument, which C hands back, is the reference itself: it is not looked at.
        self._ask = functools.partial(ask, ctypes.cast(self._leave_it, ctypes.c_void_p).value)

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # torch would wrap the handler, and instructions of Python would follow it.
        return False

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Let a compiled region run compiled, as the script asked."""
        return True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self._tell is not None:
            self._tell()
            self._tell = None
        mark = _Mark()
        self._mark = weakref.ref(mark, self._ask)
        return func(*args, **(kwargs or {}))

    def _leave(self, _: object) -> int:
        # While torch looks up an operation for the first time it has counted on this mode already.
        if _is_looking_up(sys._getframe(1)):
            return 0  # the next operation asks again
        depth = torch._C._len_torch_dispatch_stack()
        if self._tell is None and depth and torch._C._get_dispatch_stack_at(depth - 1) is self:
            self.__exit__(None, None, None)
        return 0


def _is_looking_up(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__") == torch._ops.__name__:
            return True
        frame = frame.f_back
    return False
