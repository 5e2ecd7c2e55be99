"""Who starts a thread, and from where in the script: read off the stack of the starter."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from samebits.check.record.processes.origin import HELPER, POOL_WORKER, absolute_name, is_library

_STARTERS = (
    ("samebits.training", "samebits", HELPER),
    ("torch.utils.data", "DataLoader", HELPER),
    ("torch._inductor", "torch.compile", HELPER),
    ("torch.distributed.elastic", "torchrun", HELPER),
    ("multiprocessing.pool", "multiprocessing.pool.ThreadPool", POOL_WORKER),
    ("multiprocessing", "multiprocessing", HELPER),
    ("subprocess", "subprocess", HELPER),
    ("concurrent.futures.process", "ProcessPoolExecutor", HELPER),
    ("concurrent.futures.thread", "ThreadPoolExecutor", POOL_WORKER),
    ("joblib", "joblib", POOL_WORKER),
    # A loop that ends waits on a thread for those of its pool, which come before.
    ("asyncio", "asyncio", HELPER),
)
"""Module (or package) on the stack → what it is called, and what its threads are."""


class ThreadOrigin(NamedTuple):
    """Where a thread comes from.

    Attributes:
        via: What started it, such as "threading.Thread".
        role: "pool", "helper" (it serves a library, and computes nothing of the script's), or "".
        file: The script's file; "" where no line of the script stands on the stack. Of a pool it is
            the line that has made it: which call starts a worker is a matter of pace.
        line: Its line.
    """

    via: str
    role: str
    file: str
    line: int


class ThreadOrigins:
    """Tells where threads come from.

    Args:
        is_user: Tells the script's own files.
    """

    def __init__(self, is_user: Callable[[str], bool]) -> None:
        self._is_user = is_user
        self._made: WeakKeyDictionary[Any, tuple[str, int]] = WeakKeyDictionary()

    def executor_made(self, executor: Any) -> None:
        """Note the line that is making a pool of threads."""
        _, file, line, _ = self._stack()
        self._made[executor] = (file, line)

    def here(self) -> ThreadOrigin:
        """What the stack of this thread says of a thread that is being started."""
        modules, file, line, executor = self._stack()
        via, role = "threading.Thread", ""
        for module, name, kind in _STARTERS:
            if any(one == module or one.startswith(f"{module}.") for one in modules):
                via, role = name, kind
                break
        if executor is not None:
            file, line = self._made.get(executor, (file, line))
        return ThreadOrigin(via, role, absolute_name(file), line)

    def _stack(self) -> tuple[set[str], str, int, Any]:
        """Modules on the stack, the user's innermost line, and the executor that starts a thread.

        Of the modules only those count that the user's line has called.
        """
        modules: set[str] = set()
        file, line, executor = "", 0, None
        frame: Any = sys._getframe(1)
        while frame is not None:
            module = str(frame.f_globals.get("__name__", ""))
            if is_library(module, frame.f_code.co_filename) or not self._is_user(
                frame.f_code.co_filename
            ):
                modules.add(module)
            else:
                file, line = frame.f_code.co_filename, frame.f_lineno
                break
            if module == "concurrent.futures.thread" and executor is None:
                executor = frame.f_locals.get("self")
            frame = frame.f_back
        return modules, file, line, executor
