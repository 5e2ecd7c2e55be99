"""Hooks: what acts inside a recorded process, from before the script's first line.

One file a hook, and nothing else in this folder: the file `clock.py` holds the class `Clock`, whose
name is "clock". Adding a hook is adding a file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from samebits.core.interposition.callers import IsUser, UserLines
from samebits.core.interposition.hook import Hook
from samebits.training.control.found_by_name import class_named, names_in
from samebits.training.control.surroundings import HookSpec

__all__ = ["Installed", "install", "names"]


def names() -> tuple[str, ...]:
    """Names of all hooks, sorted."""
    return names_in(sys.modules[__name__])


class Installed:
    """Hooks that act in this process.

    Args:
        hooks: In the order in which they are put in place.
    """

    def __init__(self, hooks: Iterable[Hook]) -> None:
        self._hooks = list(hooks)
        self._forks = 0
        self._active = True
        for hook in self._hooks:
            hook.install()
        if self._hooks:
            # There is no taking these two back; removed hooks are asked no more.
            os.register_at_fork(after_in_parent=self._count_fork, after_in_child=self._enter_child)

    @property
    def acted(self) -> dict[str, int]:
        """How often each hook has changed what the script saw, by name."""
        return {hook.name: hook.acted for hook in self._hooks}

    def remove(self) -> None:
        """Put everything back, in the reverse order."""
        self._active = False
        for hook in reversed(self._hooks):
            hook.remove()

    def end(self) -> None:
        """The process is about to leave by `os._exit`, while its threads may still run."""
        for hook in reversed(self._hooks):
            hook.end()

    def _count_fork(self) -> None:
        self._forks += 1

    def _enter_child(self) -> None:
        number, self._forks = self._forks, 0
        if self._active:
            for hook in self._hooks:
                hook.enter_child(number)


def install(specs: Iterable[HookSpec], is_user: IsUser | None = None) -> Installed:
    """Install hooks in this process.

    Args:
        specs: Which, with their settings, in this order.
        is_user: Tells for a source file whether it is the user's, for hooks that are bound to
            lines.

    Returns:
        What takes them out again.

    Raises:
        UsageError: There is no such hook; none is installed then.
        ControlError: A hook has no such setting; none is installed then.
    """
    lines, package = UserLines(is_user), sys.modules[__name__]
    return Installed(
        [class_named(package, spec.name, Hook, "hook")(spec.settings, lines) for spec in specs]
    )
