"""Keeps what a watcher has imported out of the sight of the process that it watches.

A program that looks at `sys.modules` finds what it would find without samebits. A module that it
imports itself later is put back at that moment: there must be one of each, since the functions in
`subprocess` are replaced in one.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

_BEGINNING = frozenset({"cpython.run_command", "cpython.run_file", "cpython.run_module"})
_BOOTSTRAP = "sitecustomize"


class OutOfSight:
    """Takes modules out of `sys.modules` until somebody asks for them.

    Args:
        before: Names of the modules that were there before samebits.
        bootstrap: The file of samebits' own sitecustomize, which Python itself still looks for.
    """

    def __init__(self, before: set[str], bootstrap: str) -> None:
        self._bootstrap = bootstrap
        self._hidden: dict[str, ModuleType] = {}
        for name in list(sys.modules):
            if name not in before and name != _BOOTSTRAP:
                self._hidden[name] = sys.modules.pop(name)
        sys.addaudithook(self._heard)

    def _heard(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "import":
            self._put_back(args[0])
        elif event in _BEGINNING:
            module = sys.modules.get(_BOOTSTRAP)
            if module is not None and getattr(module, "__file__", None) == self._bootstrap:
                del sys.modules[_BOOTSTRAP]

    def _put_back(self, name: object) -> None:
        # The import that is under way looks once more, and finds it.
        while isinstance(name, str) and name:
            module = self._hidden.pop(name, None)
            if module is not None:
                sys.modules.setdefault(name, module)
            name = name.rpartition(".")[0]
