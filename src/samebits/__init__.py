"""Same code, same seed, same bits: makes PyTorch runs reproducible and proves that they are.

Importing this package imports neither torch nor NumPy; each name loads what it needs when it is
first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from samebits.compare.assertion import assert_same as assert_same
    from samebits.control import deterministic as deterministic
    from samebits.control import isolated_rng as isolated_rng
    from samebits.control import seed_everything as seed_everything
    from samebits.data import DataLoader as DataLoader
    from samebits.fingerprint.tree import fingerprint as fingerprint
    from samebits.record.block import record as record
    from samebits.resume.checkpoint import Checkpoint as Checkpoint

_HOMES = {
    "Checkpoint": "samebits.resume.checkpoint",
    "DataLoader": "samebits.data",
    "assert_same": "samebits.compare.assertion",
    "deterministic": "samebits.control",
    "isolated_rng": "samebits.control",
    "seed_everything": "samebits.control",
}
_CALLABLE_PACKAGES = ("exact", "fingerprint", "record")

__all__ = [
    "Checkpoint",
    "DataLoader",
    "assert_same",
    "deterministic",
    "exact",
    "fingerprint",
    "isolated_rng",
    "record",
    "seed_everything",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("samebits")
    if name in _CALLABLE_PACKAGES:
        return importlib.import_module(f"samebits.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'samebits' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
