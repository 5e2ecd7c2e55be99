"""Address space layout randomisation: reading it, and switching it off for a program to start."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

# From <linux/personality.h>. The personality is kept across exec, except for set-user-id programs.
_ADDR_NO_RANDOMIZE = 0x0040000
_QUERY = 0xFFFFFFFF

# It is a thread's own: another one may start a program at the same time.
_PERSONALITY = Path("/proc/thread-self/personality")
_RANDOMIZE_VA_SPACE = Path("/proc/sys/kernel/randomize_va_space")


@dataclass(frozen=True)
class AddressRandomization:
    """What is known of address randomisation.

    Attributes:
        enabled: Whether it is in force for programs that this process starts; for this process
            too, unless the state was changed after its start. `None` when it cannot be told.
        reason: Why it cannot be told.
    """

    enabled: bool | None
    reason: str | None = None


@dataclass(frozen=True)
class Attempt:
    """Whether something could be done; true or false as a condition.

    Attributes:
        worked: Whether it was done.
        reason: Why not.
    """

    worked: bool
    reason: str | None = None

    def __bool__(self) -> bool:
        return self.worked


def address_randomization() -> AddressRandomization:
    """Read whether addresses are randomised: the process's personality and the kernel's setting."""
    if not sys.platform.startswith("linux"):
        return AddressRandomization(None, f"it cannot be read on {sys.platform}")
    try:
        personality = int(_PERSONALITY.read_text(), 16)
        level = int(_RANDOMIZE_VA_SPACE.read_text())
    except (OSError, ValueError) as error:
        return AddressRandomization(None, f"it cannot be read: {error}")
    return AddressRandomization(level != 0 and not personality & _ADDR_NO_RANDOMIZE)


def address_randomization_enabled() -> bool | None:
    """Return whether addresses are randomised; `None` where it cannot be told."""
    return address_randomization().enabled


def disable_address_randomization() -> Attempt:
    """Switch address randomisation off for the program that this process starts next.

    The layout of the calling process does not change any more; what it executes, and what that
    starts, gets the same addresses each time. Use it between fork and exec, or just before exec:
    it allocates little and takes no locks of its own, and load this module before forking.

    Returns:
        Whether it worked, and the reason when not: another platform, or a sandbox that forbids the
        call (the default seccomp profile of some container engines does).
    """
    return _randomize(False)


@contextlib.contextmanager
def programs_at(addresses: Literal["as-is", "fixed", "random"]) -> Iterator[Attempt]:
    """Start programs with or without address randomisation inside the block; as before after it.

    It acts on what the calling thread starts. Nothing has to run between fork and exec, so that a
    process with threads may use it.

    Args:
        addresses: "fixed" for programs without randomisation, "random" for those with it even where
            this process has none, "as-is" for neither.

    Yields:
        Whether it worked.
    """
    before = _personality()
    outcome = Attempt(True) if addresses == "as-is" else _randomize(addresses == "random")
    try:
        yield outcome
    finally:
        if outcome and before is not None and addresses != "as-is":
            _libc().personality(before)


def _libc() -> Any:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.personality.argtypes = (ctypes.c_ulong,)
    libc.personality.restype = ctypes.c_int
    return libc


def _personality() -> int | None:
    """This thread's personality; None where it cannot be told."""
    try:
        return int(_PERSONALITY.read_text(), 16)
    except (OSError, ValueError):
        return None


def _randomize(wanted: bool) -> Attempt:
    """Switch randomisation on or off for the programs that this thread starts."""
    if not sys.platform.startswith("linux"):
        return Attempt(False, f"{sys.platform} offers no call for it")
    try:
        libc = _libc()
        now = libc.personality(_QUERY)
        then = now & ~_ADDR_NO_RANDOMIZE if wanted else now | _ADDR_NO_RANDOMIZE
        if now == -1 or libc.personality(then) == -1:
            return Attempt(False, f"personality() failed: {os.strerror(ctypes.get_errno())}")
    except (OSError, AttributeError) as error:
        return Attempt(False, f"personality() is not there: {error}")
    # A sandbox may accept the call and ignore it.
    if not wanted and address_randomization_enabled():
        return Attempt(False, "personality() was accepted and changed nothing")
    return Attempt(True)
