"""What a line reads off a pipe or a socket, where it takes what has arrived so far."""

from __future__ import annotations

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.verdict import OTHER_SHAPE, Cause
from samebits.check.trials.attribution.rivals import only_pace_explains
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.source_lines import only_line
from samebits.core.source.short_reads import lines_of_short_reads

_FIX = (
    "Go on reading until as many bytes are there as belong together: with a buffer (Popen without "
    "bufsize=0, socket.makefile('rb')), whose read(n) waits for n bytes or the end; or in a loop "
    "that asks for what is missing."
)


def read_in_parts(
    situation: Situation, evidence: Evidence, *, nothing_else: bool = False
) -> Cause | None:
    """The line that reads as many bytes as have arrived, where data differ.

    Args:
        situation: Where the runs diverge.
        evidence: What both have noted up to there.
        nothing_else: Whether everything else that might explain it was tried already.

    Returns:
        None where no data differ, where several lines read so or none does, where nothing was seen
        to run beside the script, or where something else may explain it.
    """
    found = evidence.found
    if not found.data or found.process or evidence.unseeded or evidence.other_seeds:
        return None
    if not evidence.of("network", "process", "thread"):
        return None
    place = only_line(situation.traces[0], lines_of_short_reads)
    # Blocks of another size are what such a line gives; of equal size, runs have to tell.
    sure = found.detail.startswith(OTHER_SHAPE) and only_pace_explains(situation, evidence)
    if place is None or not (nothing_else or sure):
        return None
    file, line = place
    return Cause(
        code="process-timing",
        detail="",
        file=file,
        line=line,
        evidence="This line takes as many bytes as have arrived by then, which may be fewer than "
        "it asks for, and goes by how fast the other side is; and data differ.",
        fix=_FIX,
        confidence="likely",
    )
