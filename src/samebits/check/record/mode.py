"""The dispatch mode through which torch tells the native recorder of every operation."""

from __future__ import annotations

import gc
import itertools
import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from samebits.core import _native

_TORCH = os.path.join(os.path.dirname(torch.__file__), "")
_DECORATED = os.path.join(_TORCH, "utils", "_contextlib.py")
"""Where functions run that are decorated by `torch.no_grad()` and its like."""
_MOST_HEARD = 100_000
"""Calls and returns that are waited for."""
_MOST_LOOKS = 3


class RecorderMode(TorchDispatchMode):
    """Hands every operation to the native recorder, on the thread that enters it.

    Args:
        native: The recorder of this thread; with `later` that of the process's first one.
        later: Whether this thread gets a recorder of its own at its first operation.

    torch looks `__torch_dispatch__` up on the instance and demands that it is bound to it; a C
    function whose `__self__` is the mode satisfies both and saves a Python call an operation.
    """

    # Control-flow operations and compiled regions' callables are recorded as one operation each.
    supports_higher_order_operators = True

    def __init__(self, native: _native.Recorder, *, later: bool = False) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.native = native
        self._keys = ""
        self._is_left = False
        self.__dict__["__torch_dispatch__"] = native.bind(self, later)

    def __enter__(self) -> RecorderMode:
        super().__enter__()  # type: ignore[no-untyped-call]
        self._keys, self._is_left = _keys(), False
        return self

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # There is no Python frame that torch.compile could enter.
        return False

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Let a compiled region run compiled, as the script asked.

        The recorder then sees what enters and leaves the region and the library calls that it
        makes, not the fused loops inside.
        """
        return True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise AssertionError("the instance's native __torch_dispatch__ stands before this one")

    def leave(self) -> bool:
        """Leave it where it is the innermost one on this thread; whether it was.

        Where the script has a mode of its own inside, this one stays and passes through.
        """
        if not self.on_top():
            return False
        self.__exit__(None, None, None)  # type: ignore[no-untyped-call]
        self.native.unbind(self)
        self._is_left = True
        return True

    def leave_once_outside(self, leave: Callable[[], None]) -> None:
        """Leave it when this thread goes on after the operation that it is in the midst of.

        Until then torch keeps it off its stack, and puts it back; so it does with what is done
        inside a backward pass or a transformed function. At the next call or return that nothing of
        torch is around, it is left. Where the script has a profiler of its own, which would have to
        hear of that instead, or where such a moment does not come, the mode stays and passes
        through.

        Args:
            leave: Leaves it.
        """
        if sys.getprofile() is not None:
            return
        heard, looked = itertools.count(1), itertools.count(1)

        def hear(frame: FrameType, event: str, argument: Any) -> None:
            if self._is_left or next(heard) > _MOST_HEARD:
                sys.setprofile(None)
            elif self.on_top() and not _is_inside_torch(frame) and self._keys == _keys():
                # To look for what would put the mode back later goes through all objects.
                if not _is_kept_by_a_context():
                    sys.setprofile(None)
                    leave()
                elif next(looked) == _MOST_LOOKS:
                    sys.setprofile(None)

        sys.setprofile(hear)

    def is_entered(self) -> bool:
        """Whether this mode is anywhere on this thread's stack of modes."""
        depth = torch._C._len_torch_dispatch_stack()
        return any(torch._C._get_dispatch_stack_at(at) is self for at in range(depth))

    def on_top(self) -> bool:
        """Whether this mode is the innermost one on this thread, so that it may be left."""
        depth = torch._C._len_torch_dispatch_stack()
        return bool(depth) and torch._C._get_dispatch_stack_at(depth - 1) is self


def _is_inside_torch(frame: FrameType | None) -> bool:
    """Whether a function of torch has called this one, or it is one."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(_TORCH) and file != _DECORATED:
            return True
        frame = frame.f_back
    return False


def _keys() -> str:
    """The dispatch keys that this thread has added: a context that changes them restores them."""
    return repr(torch._C._dispatch_tls_local_include_set())


def _is_kept_by_a_context() -> bool:
    """Whether any thread may be inside `inference_mode(False)`, which ends with the keys it found.

    It changes no key where inference mode is off, and leaves no trace but its object.
    """
    contexts = (one for one in gc.get_objects() if type(one) is torch.inference_mode)
    return any("_inference_mode_context" in vars(one) for one in contexts)
