"""Codes of the ledger, apart from the schema: a recorded process may not load NumPy for them."""

from __future__ import annotations

LEDGER_SOURCES = (
    "python",
    "numpy",
    "numpy-generator",
    "torch-cpu",
    "torch-cuda",
    "torch-generator",
    "urandom",
    "uuid",
    "secrets",
    "clock",
    "pid",
    "hash",
    "listing",
    "environment",
    "file",
    "network",
    "thread",
    "process",
    "worker",
)
"""Where what a run drew or read came from; codes shared with native/python/ledger.hpp."""

LEDGER_EVENTS = ("draw", "construct", "seed", "read", "list", "start")
"""What was done with it; codes shared with native/python/ledger.hpp."""
