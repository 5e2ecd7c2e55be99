"""Doing something at the moment a module is imported, without importing it now.

A launcher must seed torch and set its switches before the script's first use of it, and must not
import it for a script that never does: that would cost seconds and change what the script sees.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from types import ModuleType


def when_imported(name: str, action: Callable[[], object]) -> None:
    """Run `action` now when the module `name` is imported already, else right after its import.

    The action runs once, after the module's own code has run and before the importing statement
    returns. Actions for one module run in the order in which they were given. A failing import
    runs none, and leaves them waiting for the next try.

    Args:
        name: The full name of a top-level module or package, for example "torch".
        action: Called without arguments. What it raises comes out of the import statement.
    """
    if name in sys.modules:
        action()
        return
    _waiting_for(name).actions.append(action)


def while_imported(name: str, around: Callable[[], AbstractContextManager[object]]) -> None:
    """Import the module `name`, once that is asked for, inside a context.

    The context is entered before the module's own code runs and left after the actions of
    `when_imported`. For a module that is imported already nothing happens.

    Args:
        name: As for `when_imported`.
        around: Gives the context; called for each try to import the module.
    """
    if name not in sys.modules:
        _waiting_for(name).around.append(around)


def _waiting_for(name: str) -> _WaitingFinder:
    for finder in sys.meta_path:
        if isinstance(finder, _WaitingFinder) and finder.name == name:
            return finder
    fresh = _WaitingFinder(name)
    sys.meta_path.insert(0, fresh)
    return fresh


class _WaitingFinder(importlib.abc.MetaPathFinder):
    """Waits in `sys.meta_path` for one module, lets the others find it, and wraps its loader."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.actions: list[Callable[[], object]] = []
        self.around: list[Callable[[], AbstractContextManager[object]]] = []
        self._searching = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find the awaited module as Python would, with a loader that runs the actions after it."""
        if fullname != self.name or self._searching:
            return None
        self._searching = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._searching = False
        if spec is None or spec.loader is None:
            return None
        spec.loader = _ActingLoader(spec.loader, self)
        return spec


class _ActingLoader(importlib.abc.Loader):
    """Loads a module as its own loader would, then runs what waited for it."""

    def __init__(self, loader: importlib.abc.Loader, finder: _WaitingFinder) -> None:
        self._loader = loader
        self._finder = finder

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """Create the module as its own loader does."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code under its own loader, then the actions, once."""
        # The module must not see the wrapper: inspect, pkgutil and pickle ask a loader questions
        # that only the module's own can answer.
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        with ExitStack() as contexts:
            for around in self._finder.around:
                contexts.enter_context(around())
            self._loader.exec_module(module)
            if self._finder in sys.meta_path:
                sys.meta_path.remove(self._finder)
            actions, self._finder.actions = self._finder.actions, []
            for action in actions:
                action()
