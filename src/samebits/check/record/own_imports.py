"""Importing what samebits needs without leaving a mark on what the script will import.

A file beside a script may bear the name of a module that samebits uses (`random.py`, `queue.py`).
Plain Python would give the script that file; so samebits takes its own modules from the libraries,
and puts those out of sight whose names the script's folders claim.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType

from samebits.check.record.working_folder import absolute

_ENDINGS = (".py", ".pyc", ".so", ".pyd")
_NEEDED = sys.stdlib_module_names | {"numpy", "pyarrow", "safetensors", "torch"}


class OwnImports:
    """Keeps the modules that samebits imported under names that the script has for others.

    Args:
        folders: Where the script's modules lie: its own folder, and PYTHONPATH.
        before: Names in `sys.modules` that plain Python has loaded at this point, too.
    """

    def __init__(self, folders: Iterable[str], before: set[str]) -> None:
        self._folders = {absolute(folder or ".") for folder in folders}
        self._claimed = {name for folder in self._folders for name in _module_names(folder)}
        self._claimed &= _NEEDED - {name.partition(".")[0] for name in before}
        self._hidden: dict[str, ModuleType] = {}
        self._hide({name for name in sys.modules if name not in before})

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """While this lasts, imports are samebits' own."""
        if not self._claimed:
            yield
            return
        theirs = {name: sys.modules.pop(name) for name in list(sys.modules) if self._claims(name)}
        sys.modules.update(self._hidden)
        path = list(sys.path)
        sys.path.sort(key=lambda entry: absolute(entry or ".") in self._folders)
        try:
            yield
        finally:
            sys.path[:] = path
            self._hide({name for name in sys.modules if self._claims(name)})
            sys.modules.update(theirs)

    def _claims(self, name: str) -> bool:
        return name.partition(".")[0] in self._claimed

    def _hide(self, names: set[str]) -> None:
        for name in names:
            if self._claims(name):
                self._hidden[name] = sys.modules.pop(name)


def _module_names(folder: str) -> Iterator[str]:
    """Names that an import would find in a folder."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        stem = entry.name.partition(".")[0]
        if not stem.isidentifier():
            continue
        if entry.name.endswith(_ENDINGS) or os.path.isfile(os.path.join(entry.path, "__init__.py")):
            yield stem
