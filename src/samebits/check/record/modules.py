"""Naming modules as their model does: "encoder.layers.0.linear1"."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import nn


class ModulePaths:
    """Numbers module paths; number 0 is the empty path, outside any module or a model's root.

    Args:
        on_death: Called when a named module is gone, since its address may be used again.
    """

    def __init__(self, on_death: Callable[[], None]) -> None:
        self.paths: list[str] = [""]
        self._numbers: dict[str, int] = {"": 0}
        self._roots: weakref.WeakKeyDictionary[nn.Module, dict[int, str]] = (
            weakref.WeakKeyDictionary()
        )
        self._watched: dict[int, weakref.ref[nn.Module]] = {}
        self._on_death = on_death

    def number(self, root: nn.Module, module: nn.Module) -> int:
        """The number of a module's path in its model.

        Args:
            root: The outermost module that is being called.
            module: The one whose path is asked for.
        """
        path = ".".join(filter(None, (self._path_of_root(root), self._path_below(root, module))))
        self._watch(module)
        number = self._numbers.get(path)
        if number is None:
            number = self._numbers[path] = len(self.paths)
            self.paths.append(path)
        return number

    def _path_of_root(self, root: nn.Module) -> str:
        """Where a root stands in a model seen before, as a checkpointed block that runs again."""
        for names in self._roots.values():
            known = names.get(id(root), "")
            if known:
                return known
        return ""

    def _path_below(self, root: nn.Module, module: nn.Module) -> str:
        names = self._roots.get(root)
        if names is None or id(module) not in names:
            names = {id(child): name for name, child in root.named_modules()}
            self._roots[root] = names
            for child in root.modules():
                self._watch(child)
        # A module that its root does not own (held in a list, say) goes by its class.
        return names.get(id(module), f"<{type(module).__name__}>")

    def _watch(self, module: nn.Module) -> None:
        key = id(module)
        if key not in self._watched:

            def gone(_: object) -> None:
                self._watched.pop(key, None)
                # The address may be another module's soon. Nothing else is forgotten: when a
                # module is collected differs between runs, and names must not.
                for names in self._roots.values():
                    names.pop(key, None)
                self._on_death()

            self._watched[key] = weakref.ref(module, gone)
