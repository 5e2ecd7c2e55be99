"""What a run may vary in, and the switches that hold it still.

Importing this package imports neither torch nor NumPy; each name loads what it needs when it is
first used, since every process that a recorded script starts comes by here.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from samebits.training.control.auditing import AuditReport as AuditReport
    from samebits.training.control.auditing import Reading as Reading
    from samebits.training.control.auditing import audit as audit
    from samebits.training.control.determinism import Change as Change
    from samebits.training.control.determinism import ControlReport as ControlReport
    from samebits.training.control.determinism import deterministic as deterministic
    from samebits.training.control.process import ProcessControls as ProcessControls
    from samebits.training.control.rng_sources import register_generator as register_generator
    from samebits.training.control.rng_sources import register_source as register_source
    from samebits.training.control.rng_sources import unregister_generator as unregister_generator
    from samebits.training.control.rng_state import RngState as RngState
    from samebits.training.control.rng_state import capture as capture
    from samebits.training.control.rng_state import isolated_rng as isolated_rng
    from samebits.training.control.rng_state import restore as restore
    from samebits.training.control.seeding import seed_everything as seed_everything
    from samebits.training.control.streams import Streams as Streams

_HOMES = {
    "AuditReport": "samebits.training.control.auditing",
    "Change": "samebits.training.control.determinism",
    "ControlReport": "samebits.training.control.determinism",
    "ProcessControls": "samebits.training.control.process",
    "Reading": "samebits.training.control.auditing",
    "RngState": "samebits.training.control.rng_state",
    "Streams": "samebits.training.control.streams",
    "audit": "samebits.training.control.auditing",
    "capture": "samebits.training.control.rng_state",
    "deterministic": "samebits.training.control.determinism",
    "isolated_rng": "samebits.training.control.rng_state",
    "register_generator": "samebits.training.control.rng_sources",
    "register_source": "samebits.training.control.rng_sources",
    "restore": "samebits.training.control.rng_state",
    "seed_everything": "samebits.training.control.seeding",
    "unregister_generator": "samebits.training.control.rng_sources",
}

__all__ = [
    "AuditReport",
    "Change",
    "ControlReport",
    "ProcessControls",
    "Reading",
    "RngState",
    "Streams",
    "audit",
    "capture",
    "deterministic",
    "isolated_rng",
    "register_generator",
    "register_source",
    "restore",
    "seed_everything",
    "unregister_generator",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'samebits.training.control' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
