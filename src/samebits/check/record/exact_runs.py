"""A whole run inside `samebits.exact()`, as `--exact` asks for."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

from samebits.errors import NotExactError

VARIABLE = "SAMEBITS_EXACT"
"""Set, and not empty, in a process that computes exactly; "1", or allowed operations by name."""

_NOTHING_ALLOWED = "1"


def environment(allow: Iterable[str]) -> dict[str, str]:
    """Variables that make a recorded process compute exactly.

    Args:
        allow: Names of operations to let through as torch computes them.
    """
    return {VARIABLE: ",".join(sorted(set(allow))) or _NOTHING_ALLOWED}


def wanted(variables: Mapping[str, str]) -> bool:
    """Whether a process with these variables is to compute exactly."""
    return bool(variables.get(VARIABLE))


class ExactRun:
    """An exact block on this thread, open until the process ends.

    Args:
        variables: The process's environment.
    """

    def __init__(self, variables: Mapping[str, str]) -> None:
        from samebits.arithmetic.block import exact
        from samebits.arithmetic.refusal import advise_option

        advise_option()
        value = variables.get(VARIABLE, "")
        names = [] if value == _NOTHING_ALLOWED else value.split(",")
        self._block = exact(allow=[name for name in names if name])
        self._block.__enter__()

    @property
    def notes(self) -> list[str]:
        """What the manifest says of it."""
        ended_by = getattr(sys, "last_type", None)
        how = "computed exactly, as version 1 of the arithmetic defines it"
        if ended_by is not None and issubclass(ended_by, NotExactError):
            how += ", up to an operation that is not exact"
        notes = [how]
        if self._block.allowed:
            names = ", ".join(sorted(self._block.allowed))
            notes.append(f"not exact, but allowed: {names}")
        return notes
