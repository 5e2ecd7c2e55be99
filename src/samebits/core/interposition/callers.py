"""Who is calling: the user's own line, or a library on its own behalf."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from types import FrameType

IsUser = Callable[[str], bool]


def caller_module(*but: str) -> str:
    """Name of the module that called what samebits stands in for; "" when there is none.

    Args:
        but: Modules that are passed over.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = str(frame.f_globals.get("__name__") or "")
        if not name.startswith("samebits.") and name not in but:
            return name
        frame = frame.f_back
    return ""


class UserLines:
    """Finds the innermost line of the user's own code among the running frames.

    Args:
        is_user: Tells for a code object's file name whether it is the user's. Without it every
            file outside of samebits counts.
    """

    def __init__(self, is_user: IsUser | None = None) -> None:
        self._is_user = is_user or (lambda _: True)
        self._known: dict[str, bool] = {}
        self._names: dict[str, str] = {}

    def current(self) -> tuple[str, int] | None:
        """File and line of the innermost user frame; None when no user code is running."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            own = str(frame.f_globals.get("__name__") or "").startswith("samebits.")
            if not own and self.is_users(frame):
                return frame.f_code.co_filename, frame.f_lineno
            frame = frame.f_back
        return None

    def are_calling(self) -> bool:
        """Whether user code itself calls what samebits stands in for, and no library for it."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if not str(frame.f_globals.get("__name__") or "").startswith("samebits."):
                return self.is_users(frame)
            frame = frame.f_back
        return False

    def are_importing_a_library(self) -> bool:
        """Whether a library does something of its own accord, while it is imported."""
        frame: FrameType | None = sys._getframe(1)
        importing = False
        while frame is not None:
            name = str(frame.f_globals.get("__name__") or "")
            if not name.startswith("samebits.") and self.is_users(frame):
                return importing
            importing = importing or name == "importlib._bootstrap"
            frame = frame.f_back
        return importing

    def is_users(self, frame: FrameType) -> bool:
        """Whether a frame runs code of the user's."""
        name = frame.f_code.co_filename
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = self._is_user(name)
        return known

    def are_at(self, sites: frozenset[tuple[str, int]]) -> bool:
        """Whether the innermost user line is one of these, as `site_set` made them."""
        here = self.current()
        if here is None:
            return False
        name = self._names.get(here[0])
        if name is None:
            name = self._names[here[0]] = os.path.realpath(here[0])
        return (name, here[1]) in sites or here in sites


def site_set(sites: Iterable[tuple[str, int]]) -> frozenset[tuple[str, int]]:
    """Sites as `UserLines.are_at` compares them: by the file that a name leads to."""
    return frozenset(
        (name if name.startswith("<") else os.path.realpath(name), int(line))
        for name, line in sites
    )
