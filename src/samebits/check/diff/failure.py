"""Where a script that failed on its own came to its end."""

from __future__ import annotations

from samebits.check.diff.verdict import Failure
from samebits.check.trace.reader import Trace
from samebits.core.names import printable


def failure_of(trace: Trace) -> Failure | None:
    """The exception that ended the script's own process; None where none is known.

    Args:
        trace: The run.
    """
    ending = trace.manifest.ending
    if not ending.get("error"):
        return None
    line = ending.get("line")
    return Failure(
        error=printable(str(ending["error"]), 120),
        message=printable(str(ending["message"]).strip().partition("\n")[0], 300),
        file=str(ending["file"]) if ending.get("file") else None,
        line=line if isinstance(line, int) and line > 0 else None,
    )
