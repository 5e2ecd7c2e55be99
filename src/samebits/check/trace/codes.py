"""Codes of rows, apart from the schema: a recorded process may not load NumPy for them."""

from __future__ import annotations

import enum

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
    "timer",
    "shared-value",
    "readiness",
    "hand-over",
    "shared-generator",
    "shared-file",
    "address",
    "port",
)
"""Where what a run drew or read came from; codes shared with native/python/ledger.hpp."""

LEDGER_EVENTS = ("draw", "construct", "seed", "read", "list", "start", "write")
"""What was done with it; codes shared with native/python/ledger.hpp."""


class Flag(enum.IntFlag):
    """What is known about an operation's row beyond its digests.

    Attributes:
        RANDOM: It draws from a torch generator.
        INPLACE: It writes into one of its inputs.
        VIEW: Its output shares memory with an input.
        SCRATCH: It has no comparable output (workspace, memory before its first write).
        OPAQUE: At least one output could not be fingerprinted.
        MODULE: The row stands for a whole module call, not for one operation.
        READS_UNWRITTEN: An input held bytes that nothing had written since they were allocated.
        RECEIVED: An input is the result of a collective or a message, looked at for the first time.
        CHANGED_MEANWHILE: Such an input changed while the operation read it.
        HANDED_GENERATOR: It draws from a torch generator that it was given, not from torch's own.
    """

    RANDOM = 1 << 0
    INPLACE = 1 << 1
    VIEW = 1 << 2
    SCRATCH = 1 << 3
    OPAQUE = 1 << 4
    MODULE = 1 << 5
    READS_UNWRITTEN = 1 << 6
    RECEIVED = 1 << 7
    CHANGED_MEANWHILE = 1 << 8
    HANDED_GENERATOR = 1 << 9
