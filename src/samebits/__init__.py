"""Same code, same seed, same bits: makes PyTorch runs reproducible and proves that they are.

Importing this package imports neither torch nor NumPy; each name loads what it needs when it is
first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from samebits.arithmetic.block import exact as exact
    from samebits.check.record.block import record as record
    from samebits.check.trials.assertion import assert_same as assert_same
    from samebits.core.fingerprint.tree import fingerprint as fingerprint
    from samebits.training import control as control
    from samebits.training import data as data
    from samebits.training.checkpoint.checkpoint import Checkpoint as Checkpoint
    from samebits.training.control import deterministic as deterministic
    from samebits.training.control import isolated_rng as isolated_rng
    from samebits.training.control import seed_everything as seed_everything
    from samebits.training.data import DataLoader as DataLoader

_HOMES = {
    "Checkpoint": "samebits.training.checkpoint.checkpoint",
    "DataLoader": "samebits.training.data",
    "assert_same": "samebits.check.trials.assertion",
    "deterministic": "samebits.training.control",
    "exact": "samebits.arithmetic.block",
    "fingerprint": "samebits.core.fingerprint.tree",
    "isolated_rng": "samebits.training.control",
    "record": "samebits.check.record.block",
    "seed_everything": "samebits.training.control",
}

_MODULES = {"control": "samebits.training.control", "data": "samebits.training.data"}
"""Further public functions stand in these."""

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
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name not in _HOMES:
        raise AttributeError(f"module 'samebits' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
