"""Doing something at the moment a module is imported, without importing it now.

A launcher must seed torch and set its switches before the script's first use of it, and must not
import it for a script that never does: that would cost seconds and change what the script sees.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    # Not at run time: `importlib.abc` takes longer to import than everything else in a process that
    # a script starts, and neither a finder nor a loader needs its base class.
    import importlib.abc
    import importlib.machinery
    from contextlib import AbstractContextManager
    from types import ModuleType, TracebackType


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


def while_imported(
    around: Callable[[importlib.machinery.ModuleSpec], AbstractContextManager[object] | None],
) -> Callable[[], None]:
    """Import every module for which `around` gives a context inside of it.

    The context is entered before the module's own code runs and left after the actions that
    `when_imported` was given before. A reload is inside of it too.

    Args:
        around: Told how a module was found, before it is loaded; None for a module that is to be
            imported as ever.

    Returns:
        Ends it.
    """
    finder = _SurroundingFinder(around)
    sys.meta_path.insert(0, finder)

    def end() -> None:
        if finder in sys.meta_path:
            sys.meta_path.remove(finder)

    return end


def _waiting_for(name: str) -> _WaitingFinder:
    for finder in sys.meta_path:
        if isinstance(finder, _WaitingFinder) and finder.name == name:
            return finder
    fresh = _WaitingFinder(name)
    sys.meta_path.insert(0, fresh)
    return fresh


class _WaitingFinder:
    """Waits in `sys.meta_path` for one module, lets the others find it, and wraps its loader."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.actions: list[Callable[[], object]] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find the awaited module as Python would, with a loader that runs the actions after it."""
        if fullname != self.name:
            return None
        spec = _found_after(self, fullname, path, target)
        if spec is None or spec.loader is None:
            return None
        spec.loader = cast("importlib.abc.Loader", _LoaderWithin(spec.loader, self))
        return spec

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # Not by contextlib: its frames would stand between a seed and the line that imports.
        if kind is not None:
            return
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        actions, self.actions = self.actions, []
        for action in actions:
            action()


class _SurroundingFinder:
    """Stays in `sys.meta_path`, lets the others find a module, and asks what to load it within."""

    def __init__(
        self,
        around: Callable[[importlib.machinery.ModuleSpec], AbstractContextManager[object] | None],
    ) -> None:
        self._around = around

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a module as Python would, with a loader that runs it inside its context."""
        spec = _found_after(self, fullname, path, target)
        if spec is not None and spec.loader is not None:
            context = self._around(spec)
            if context is not None:
                spec.loader = cast("importlib.abc.Loader", _LoaderWithin(spec.loader, context))
        return spec


def _found_after(
    asking: _WaitingFinder | _SurroundingFinder,
    fullname: str,
    path: Sequence[str] | None,
    target: ModuleType | None,
) -> importlib.machinery.ModuleSpec | None:
    """What the finders answer that come after the asking one; Python has asked those before."""
    finders = list(sys.meta_path)
    for finder in finders[finders.index(asking) + 1 :] if asking in finders else ():
        find = getattr(finder, "find_spec", None)  # Python too passes over what has none
        if find is not None:
            spec: importlib.machinery.ModuleSpec | None = find(fullname, path, target)
            # Another one of this kind has asked all that come after it.
            if spec is not None or isinstance(finder, _SurroundingFinder):
                return spec
    return None


class _LoaderWithin:
    """Loads a module as its own loader would, inside a context."""

    def __init__(
        self, loader: importlib.abc.Loader, context: AbstractContextManager[object]
    ) -> None:
        self._loader = loader
        self._context = context

    def __getattr__(self, name: str) -> Any:
        if name == "_loader":  # of a copy that is being made
            raise AttributeError(name)
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """Create the module as its own loader does."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code under its own loader, in the context."""
        # The module must not see the wrapper: inspect, pkgutil and pickle ask a loader questions
        # that only the module's own can answer.
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        with self._context:
            self._loader.exec_module(module)
