"""A recorded process that ends when the process that started it is killed."""

from __future__ import annotations

import os
import signal
import sys

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of linux/prctl.h


def end_with(launcher: int | None) -> None:
    """Have the kernel end this process by SIGKILL once its parent is gone.

    Args:
        launcher: The process that started this one. Nothing is done where another is its parent:
            a wrapper around the interpreter may end before the script does. None for no one.
    """
    if not sys.platform.startswith("linux") or os.getppid() != launcher:
        return
    import ctypes

    libc = ctypes.CDLL(None)
    libc.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != launcher:  # it was killed in between
        os.kill(os.getpid(), signal.SIGKILL)
