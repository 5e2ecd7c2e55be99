"""Hooks: what acts inside a recorded process, from before the script's first line.

One file a hook, and nothing else in this folder: the file `clock.py` holds the class `ClockHook`,
whose name is "clock". Adding a hook is adding a file; one that acts
in child processes as well is named in `check.record.processes.inherited_hooks`.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Iterable

from samebits.core.interposition.callers import IsUser, UserLines
from samebits.core.interposition.hook import Hook
from samebits.core.interposition.surroundings import HookSpec
from samebits.core.names import nearest
from samebits.errors import UsageError

__all__ = ["Installed", "install", "names"]


def names() -> tuple[str, ...]:
    """Names of all hooks, sorted."""
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)))


class Installed:
    """Hooks that act in this process.

    Args:
        hooks: In the order in which they are put in place.
        process: Numbers of this process and of those that it comes from, among the ones that their
            parents have started; none for the script's own.
    """

    def __init__(self, hooks: Iterable[Hook], process: tuple[int, ...] = ()) -> None:
        self._hooks = list(hooks)
        self._forks = 0
        self._active = True
        for hook in self._hooks:
            for number in process:
                hook.enter_child(number)
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


def install(
    specs: Iterable[HookSpec], is_user: IsUser | None = None, *, process: tuple[int, ...] = ()
) -> Installed:
    """Install hooks in this process.

    Args:
        specs: Which, with their settings, in this order.
        is_user: Tells for a source file whether it is the user's, for hooks that are bound to
            lines.
        process: As in `Installed`.

    Returns:
        What takes them out again.

    Raises:
        UsageError: There is no such hook; none is installed then.
        ControlError: A hook has no such setting; none is installed then.
    """
    lines = UserLines(is_user)
    return Installed([_class_of(spec.name)(spec.settings, lines) for spec in specs], process)


def _class_of(name: str) -> type[Hook]:
    """The class of one name: that in its file whose attribute `name` says so."""
    if name not in names():
        raise UsageError(f"there is no hook {name!r}", hint=nearest(name, names()))
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Hook) and vars(value).get("name") == name:
            return value
    raise AssertionError(f"{module.__name__} holds no hook called {name!r}")
