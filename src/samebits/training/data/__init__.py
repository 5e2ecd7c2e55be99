"""Loading data so that neither the workers nor an interruption show in it.

Importing this package imports neither torch nor NumPy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from samebits.training.data.loader import DataLoader as DataLoader
    from samebits.training.data.recipes import generator as generator
    from samebits.training.data.recipes import seed_worker as seed_worker

_HOMES = {
    "DataLoader": "samebits.training.data.loader",
    "generator": "samebits.training.data.recipes",
    "seed_worker": "samebits.training.data.recipes",
}

__all__ = ["DataLoader", "generator", "seed_worker"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'samebits.training.data' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
