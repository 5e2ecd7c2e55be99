"""What a process of a run is called in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from samebits.check.diff.correspondence import base_name
from samebits.core.names import printable


def process_name(process: Mapping[str, Any]) -> str:
    """What a process is called in a sentence: "the process started at train.py:12 (mp.spawn)"."""
    place = f" at {base_name(process['file'])}:{process['line']}" if process["file"] else ""
    program = process["program"]
    how = process["via"]
    if how == "subprocess" or program.startswith("python "):
        how = program or how
    rank = f", rank {process['rank']}" if process["rank"] else ""
    return printable(f"the process started{place} ({how}{rank})", 200)
