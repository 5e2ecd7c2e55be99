"""Which build of the native word sum runs; a choice for tests, since all give equal bits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from samebits.core import _native
from samebits.errors import UsageError

VARIABLE = "SAMEBITS_ISA"
NAMES = ("avx512", "avx2", "neon", "plain")


def available() -> tuple[str, ...]:
    """The instruction sets that this processor and this build have, best first."""
    current = _native.isa()
    try:
        return tuple(name for name in NAMES if _native.set_isa(name))
    finally:
        _native.set_isa(current)


def choose(name: str) -> None:
    """Use one instruction set from now on.

    Raises:
        UsageError: The name is unknown, or this processor or build does not have it.
    """
    if name not in NAMES:
        raise UsageError(
            f"unknown instruction set {name!r}", hint=f"Choose one of {', '.join(NAMES)}."
        )
    if not _native.set_isa(name):
        raise UsageError(
            f"the instruction set {name!r} is not available on this machine",
            hint=f"Choose one of {', '.join(available())}.",
        )


def apply_environment() -> None:
    """Use what the variable SAMEBITS_ISA names, if it is set.

    Raises:
        UsageError: It names something that cannot be used.
    """
    name = os.environ.get(VARIABLE)
    if not name:
        return
    try:
        choose(name)
    except UsageError as error:
        raise UsageError(f"{VARIABLE}: {error.message}", hint=error.hint) from None


@contextmanager
def using(name: str) -> Iterator[None]:
    """Use one instruction set inside a with block.

    Raises:
        UsageError: As `choose`.
    """
    current = _native.isa()
    choose(name)
    try:
        yield
    finally:
        _native.set_isa(current)
