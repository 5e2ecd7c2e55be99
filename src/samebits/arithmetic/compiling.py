"""Keeping torch.compile out of the code that computes exact results, but for our own backend.

torch.compile leaves the script's code alone where a dispatch mode is active, as it is inside
`exact()`: compiled functions run as they are written, operation by operation. But while the mode
handles an operation it is off the stack, and the compiler would begin to compile the handlers.

What `backend="samebits"` compiles is exact, so while its code is called the block's mode says that
the compiler need not mind it. Functions of other backends that are called meanwhile run as they
are written.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch.utils import _python_dispatch

from samebits.arithmetic.mode import ExactMode, innermost
from samebits.core.interposition.replacements import Replacements

_depth = torch._C._len_torch_dispatch_stack
_at = torch._C._get_dispatch_stack_at
_EVALUATION = "torch._dynamo.eval_frame"
_CALLBACK = "_callback_from_stance"
_FLAG = "_is_in_any_mode_without_ignore_compile_internals"


def keep_from_compiler(function: Any) -> None:
    """Tell torch.compile to run a function, and all that it calls, as it is.

    Does not import torch's compiler, which takes a second.

    Args:
        function: A Python function, a method or a `functools.partial` of one; others are left.
    """
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(function, "__code__", None)
    if code is not None and _LEAVE is not None:
        _frames.set_code_exec_strategy(code, _LEAVE)


class inside_blocks:  # noqa: N801  used as a verb: what a backend wants entered around its code
    """Lets torch.compile run and make code inside exact blocks while this is entered.

    Where other modes are active as well, such as a recorder, code goes on running uncompiled, so
    that they see its operations; and where a block lets some through, for it is asked of each.
    """

    def __enter__(self) -> None:
        self._modes: list[tuple[ExactMode, bool]] = []
        modes = []
        for place in range(_depth()):
            mode = _at(place)
            if not isinstance(mode, ExactMode) or mode.allow:
                return
            modes.append((mode, mode.lets_compile))
        if not modes:
            return
        self._modes = modes
        for mode, _ in modes:
            mode.lets_compile = True
        self._flag = getattr(_python_dispatch, _FLAG, False)
        _mind_modes(False)

    def __exit__(self, *_: object) -> None:
        if self._modes:
            for mode, before in self._modes:
                mode.lets_compile = before
            _mind_modes(self._flag)


def _mind_modes(flag: bool) -> None:
    """Tell torch.compile's guards whether the active modes are to be minded."""
    setattr(_python_dispatch, _FLAG, flag)
    if _TELL_GUARDS is not None:  # newer than 2.9
        _TELL_GUARDS(flag)


def put_in_place(replacements: Replacements) -> None:
    """Run what other backends have compiled, or would compile, as it is written."""

    def put() -> None:
        evaluation = sys.modules[_EVALUATION]
        original = getattr(evaluation, _CALLBACK, None)
        if original is not None:
            replacements.put(evaluation, _CALLBACK, _ours_alone(original))

    replacements.when_imported(_EVALUATION, put)


def _ours_alone(original: Callable[..., Any]) -> Callable[..., Any]:
    def callback_from_stance(callback: Any) -> Any:
        found = original(callback)
        return None if found and _in_our_code() and not is_ours(callback) else found

    return callback_from_stance


def _in_our_code() -> bool:
    """Whether code of our backend is being called inside a block, so that no guard minds it."""
    mode = innermost()
    return mode is not None and mode.lets_compile


def is_ours(callback: Any) -> bool:
    """Whether what torch.compile calls for a frame ends in our backend."""
    inner = callback
    while inner is not None:  # asked at every call: an attribute that is there is found at once
        callback, inner = inner, getattr(inner, "_torchdynamo_orig_backend", None)
    inner = getattr(callback, "compiler_fn", None)
    if inner is not None:
        return is_ours(inner)
    return bool(getattr(callback, "computes_exactly", False))


def _leave_alone() -> Any:
    """What torch calls skipping a frame and every frame below it."""
    try:
        skip = _frames._FrameAction.SKIP
        return _frames._FrameExecStrategy(skip, skip)
    except AttributeError:  # private; a torch that has no such word compiles the handlers
        return None


_frames = torch._C._dynamo.eval_frame
_TELL_GUARDS = getattr(
    torch._C._dynamo.guards, "set_is_in_mode_without_ignore_compile_internals", None
)
_LEAVE = _leave_alone()
