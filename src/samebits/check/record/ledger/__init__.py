"""The ledger: what a run drew, listed and read that may differ from run to run, line by line.

Functions written in C are watched where they lie, through the native part; see
docs/how-it-works/ledger.md. One file here for each thing that is watched.
"""

from __future__ import annotations
