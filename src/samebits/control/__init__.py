"""What a run may vary in, and the switches that hold it still.

Importing this package imports neither torch nor NumPy.
"""

from __future__ import annotations

from samebits.control.auditing import AuditReport, Reading, audit
from samebits.control.determinism import Change, ControlReport, deterministic
from samebits.control.on_import import when_imported, while_imported
from samebits.control.process import ProcessControls
from samebits.control.rng_sources import (
    register_generator,
    register_source,
    unregister_generator,
)
from samebits.control.rng_state import RngState, capture, isolated_rng, restore
from samebits.control.seeding import seed_everything
from samebits.control.streams import Streams

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
