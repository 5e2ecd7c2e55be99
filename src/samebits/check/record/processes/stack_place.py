"""What a stack says of where a process stands: the user's line, and what torch does for it there.

The calls are those of a traceback, or of the text that Python's fault handler writes. A collective
is named by the call that the user's line has made into torch.distributed, not by what that calls.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import NamedTuple

from samebits.check.record.processes.origin import absolute_name

_DISTRIBUTED = (
    os.path.join("torch", "distributed", ""),
    os.path.join("torch", "nn", "parallel", ""),
)
_WRAPPERS = frozenset({"wrapper", "inner", "_wrapped", "decorate_context"})
_CLASSES = {os.path.join("torch", "nn", "parallel", "distributed.py"): "DistributedDataParallel"}
_ENGINE = "_engine_run_backward"
BACKWARD = "the backward pass"
"""The operation of a line that stands in autograd."""
REDUCING_BACKWARD = "the backward pass (where DistributedDataParallel all-reduces gradients)"
"""The same, in a process that has such a model."""
_LINE = re.compile(r'^  File "(?P<file>.*)", line (?P<line>\d+) in (?P<function>.*)$')
_THREAD = re.compile(r"^(?:Current thread|Thread) 0x[0-9a-f]+.*:$")


class StackCall(NamedTuple):
    """One call on a stack.

    Attributes:
        file: The file of its code.
        line: The line that it has come to.
        function: The name of the function.
    """

    file: str
    line: int
    function: str


@dataclass(frozen=True)
class StackPlace:
    """Where a process stands.

    Attributes:
        file: The user's file; "" where none is on the stack.
        line: Its line; 0 without a file.
        operation: What of torch.distributed the line has called, such as "all_reduce"; "" where it
            has called none of it.
    """

    file: str = ""
    line: int = 0
    operation: str = ""


def calls_of(traceback: TracebackType | None) -> list[StackCall]:
    """The calls of a traceback, the outermost first."""
    calls = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        calls.append(StackCall(code.co_filename, traceback.tb_lineno, code.co_name))
        traceback = traceback.tb_next
    return calls


def calls_of_dump(text: str) -> list[StackCall]:
    """The calls of the first thread of a process, the outermost first.

    Args:
        text: What the fault handler has written: each thread's calls, the innermost first; the
            first thread that the process had comes last.
    """
    calls: list[StackCall] = []
    for line in text.splitlines():
        found = _LINE.match(line)
        if _THREAD.match(line):
            calls = []
        elif found is not None:
            calls.append(StackCall(found["file"], int(found["line"]), found["function"]))
    return calls[::-1]


def place_on(calls: Sequence[StackCall], is_user: Callable[[str], bool]) -> StackPlace:
    """Where a stack has come to.

    Args:
        calls: The outermost first.
        is_user: Tells the user's own files.
    """
    own = [number for number, call in enumerate(calls) if is_user(call.file)]
    if not own:
        return StackPlace(operation=_operation(calls))
    call = calls[own[-1]]
    return StackPlace(absolute_name(call.file), call.line, _operation(calls[own[-1] + 1 :]))


def _operation(calls: Iterable[StackCall]) -> str:
    for call in calls:
        if call.function == _ENGINE:
            return BACKWARD
        if not any(part in call.file for part in _DISTRIBUTED) or call.function in _WRAPPERS:
            continue
        if call.function == "__init__":
            named = (name for end, name in _CLASSES.items() if call.file.endswith(end))
            return next(named, "")
        if not call.function.startswith(("_", "<")):
            return call.function
    return ""
