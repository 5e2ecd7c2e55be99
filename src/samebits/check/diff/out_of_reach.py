"""What of a run was out of the reach of its recording: another program, or what nobody noted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from samebits.check.diff.correspondence import base_name
from samebits.check.diff.verdict import NotCompared
from samebits.check.trace.reader import Trace
from samebits.core.names import printable


def program_it_became(trace: Trace) -> str:
    """The program that took the place of the script, and where: "python -c, by os.exec at a.py:3".

    "" where none did.
    """
    told = trace.manifest.extra.get("became")
    if not isinstance(told, Mapping):
        return ""
    program = printable(str(told.get("program", "")), 200)
    return f"{program}, by os.exec{_place(told)}"


def out_of_reach(a: Trace, b: Trace) -> Iterator[NotCompared]:
    """What may have differed unseen in either of two runs."""
    for trace in (a, b):
        if became := program_it_became(trace):
            why = f"the script became another program: {became}; check that command instead"
            yield NotCompared("process", "what the script became", why)
        if trace.manifest.extra.get("unnoted"):
            why = "there was no room for the notes of what the script starts"
            yield NotCompared("process", "processes of the script", why)
        if trace.manifest.extra.get("answered") and not _is_anything_recorded(trace):
            why = "torch runs them on threads that are not recorded, and nothing else computed"
            yield NotCompared("process", "functions that were called by RPC", why)


def _is_anything_recorded(trace: Trace) -> bool:
    """Whether any process or thread has recorded an operation.

    What was computed for others goes back to them: where they compute with it, it is data of theirs
    and compared.
    """
    others = (*trace.manifest.processes, *trace.manifest.threads)
    return bool(trace.manifest.counts["ops"]) or any(other["recorded"] for other in others)


def _place(told: Mapping[str, Any]) -> str:
    file, line = told.get("file"), told.get("line")
    if not isinstance(file, str) or not isinstance(line, int) or not file:
        return ""
    return f" at {printable(base_name(file), 80)}:{line}"
