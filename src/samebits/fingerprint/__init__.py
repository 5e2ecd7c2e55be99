"""A 64-bit positional fingerprint of bits, dtype and shape.

`fingerprint(obj)` takes a tensor, a module, an optimizer or a tree of plain values.
docs/how-it-works/fingerprint.md defines the numbers; `reference` is the readable specification.

The package can be called: `samebits.fingerprint` is the name of both this package and the public
function, and importing a submodule binds the package to that name.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from samebits.fingerprint.isa import apply_environment
from samebits.fingerprint.tree import fingerprint

__all__ = ["fingerprint"]


class _CallablePackage(ModuleType):
    def __call__(self, obj: Any) -> str:
        return fingerprint(obj)


apply_environment()
sys.modules[__name__].__class__ = _CallablePackage
