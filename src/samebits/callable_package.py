"""Packages that can be called.

`samebits.record` and `samebits.fingerprint` are each the name of a package and of the public
function in it, and Python binds a package to its name in the parent whenever a submodule is
imported. So the package itself does what the function does.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any


class _CallablePackage(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        module, name = self.__dict__["_called"]
        return getattr(importlib.import_module(module), name)(*args, **kwargs)


def make_callable(package: str, module: str, name: str) -> None:
    """Let calls of a package go to a function or class, which is imported at the first call.

    Args:
        package: Full name of the package, which is being imported.
        module: Full name of the module that holds what is called.
        name: Its name there.
    """
    loaded = sys.modules[package]
    loaded.__dict__["_called"] = (module, name)
    loaded.__class__ = _CallablePackage
