"""Keeping torch.compile out of the code that computes exact results.

torch.compile leaves the script's code alone where a dispatch mode is active, as it is inside
`exact()`: compiled functions run as they are written, operation by operation. But while the mode
handles an operation it is off the stack, and the compiler would begin to compile the handlers.
"""

from __future__ import annotations

import functools
from typing import Any

import torch


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


def _leave_alone() -> Any:
    """What torch calls skipping a frame and every frame below it."""
    try:
        skip = _frames._FrameAction.SKIP
        return _frames._FrameExecStrategy(skip, skip)
    except AttributeError:  # private; a torch that has no such word compiles the handlers
        return None


_frames = torch._C._dynamo.eval_frame
_LEAVE = _leave_alone()
