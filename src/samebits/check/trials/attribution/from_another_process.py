"""Data that another process of the run made: what that does is not recorded, where it began is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.process_names import process_name
from samebits.check.diff.verdict import Cause
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.situation import Situation
from samebits.core.names import printable

_FIX = (
    "Make what is started here repeat. A seed that is set in this process does not reach it: hand "
    "one over (an argument, an environment variable) and seed its generators with that. Let it "
    "depend on no clock and no process number, and on the order of no set and no listing."
)


def from_another_process(situation: Situation, evidence: Evidence) -> Cause | None:
    """The line that started the process whose file differs, where that file was read.

    Args:
        situation: Where the two runs diverge.
        evidence: What they have noted up to there.

    Returns:
        None where no data differ, or no file that another process of both runs has written.
    """
    read = [entry.row.detail for entry in evidence.of("file") if entry.differs]
    if not situation.closer.data or not read:
        return None
    writers = [_writers(trace) for trace in situation.traces]
    for path in read:
        process, content = writers[0].get(path, ({}, ""))
        # An archive's bytes differ by the times in it, too, when what it holds does not.
        if not process.get("file") or writers[1].get(path, ({}, content))[1] == content:
            continue
        return Cause(
            code="data-changed",
            detail=printable(path, 200),
            file=process["file"],
            line=process["line"],
            evidence=f"{printable(path, 200)} has different content in the two runs. "
            f"{_capitalized(process_name(process))} wrote it; what that process draws and reads is "
            "not recorded.",
            fix=_FIX,
            confidence="likely",
        )
    return None


def _writers(trace: Trace) -> dict[str, tuple[Mapping[str, Any], str]]:
    """Each file that another process wrote → that process, and what the file holds."""
    processes = {process["name"]: process for process in trace.manifest.processes}
    return {
        file["path"]: (processes[file["process"]], f"{file['digest']} {file['beside']}")
        for file in trace.manifest.process_files
        if file["process"] in processes
    }


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
