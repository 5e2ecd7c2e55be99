"""What a run may vary in, and the switches that hold it still.

Importing this package imports neither torch nor NumPy; each name loads what it needs when it is
first used, since every process that a recorded script starts comes by here.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from samebits.control.auditing import AuditReport as AuditReport
    from samebits.control.auditing import Reading as Reading
    from samebits.control.auditing import audit as audit
    from samebits.control.determinism import Change as Change
    from samebits.control.determinism import ControlReport as ControlReport
    from samebits.control.determinism import deterministic as deterministic
    from samebits.control.on_import import when_imported as when_imported
    from samebits.control.on_import import while_imported as while_imported
    from samebits.control.process import ProcessControls as ProcessControls
    from samebits.control.rng_sources import register_generator as register_generator
    from samebits.control.rng_sources import register_source as register_source
    from samebits.control.rng_sources import unregister_generator as unregister_generator
    from samebits.control.rng_state import RngState as RngState
    from samebits.control.rng_state import capture as capture
    from samebits.control.rng_state import isolated_rng as isolated_rng
    from samebits.control.rng_state import restore as restore
    from samebits.control.seeding import seed_everything as seed_everything
    from samebits.control.streams import Streams as Streams

_HOMES = {
    "AuditReport": "samebits.control.auditing",
    "Change": "samebits.control.determinism",
    "ControlReport": "samebits.control.determinism",
    "ProcessControls": "samebits.control.process",
    "Reading": "samebits.control.auditing",
    "RngState": "samebits.control.rng_state",
    "Streams": "samebits.control.streams",
    "audit": "samebits.control.auditing",
    "capture": "samebits.control.rng_state",
    "deterministic": "samebits.control.determinism",
    "isolated_rng": "samebits.control.rng_state",
    "register_generator": "samebits.control.rng_sources",
    "register_source": "samebits.control.rng_sources",
    "restore": "samebits.control.rng_state",
    "seed_everything": "samebits.control.seeding",
    "unregister_generator": "samebits.control.rng_sources",
    "when_imported": "samebits.control.on_import",
    "while_imported": "samebits.control.on_import",
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
    "when_imported",
    "while_imported",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'samebits.control' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
