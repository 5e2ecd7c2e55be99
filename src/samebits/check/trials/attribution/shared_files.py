"""A file that a dataset opened or mapped before the loader forked its workers, which share it."""

from __future__ import annotations

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.diff.verdict import Cause
from samebits.check.trials.attribution.loader_workers import (
    batches_out_of_order,
    is_what_a_loader_gave,
)
from samebits.check.trials.attribution.rivals import only_pace_explains
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.source_lines import only_line
from samebits.core.names import printable
from samebits.core.source.attributes import (
    line_that_stores,
    reads_at_its_position,
    writes_into,
)

_OPEN = (
    "Let each worker open the file for itself, where it first needs it, and not before the loader "
    "starts: keep the path in __init__ with self.{0} = None, and open it in __getitem__ if it is "
    "None. Or read with os.pread(file.fileno(), size, offset), which needs no position."
)
_MAPPED = (
    "Change a copy: np.array(...) of what is taken out of the map; np.asarray and slices only look "
    "at it. Or map the file for reading alone, mmap_mode='r', or with 'c', which keeps what a "
    "process writes to itself."
)


def file_that_workers_share(
    situation: Situation, evidence: Evidence, *, nothing_else: bool = False
) -> Cause | None:
    """The line that opened it, where a loader's workers gave other data.

    Args:
        situation: Where the runs diverge.
        evidence: What both have noted up to there.
        nothing_else: Whether everything else that might explain it was tried already.

    Returns:
        None where no data differ that a loader gave, or where something else may explain it.
    """
    if not is_what_a_loader_gave(evidence) or batches_out_of_order(evidence) is not None:
        return None
    if not nothing_else and not only_pace_explains(situation, evidence):
        return None
    shared = next((pair for pair in evidence.between if _is_used(pair, evidence)), None)
    if shared is None or shared.place is None:
        return None
    kind, _, name = shared.row.detail.partition(".")
    stored = only_line(situation.traces[0], lambda file: _stored(file, kind, name))
    file, line = stored or shared.place
    held = printable(shared.row.detail, 80)
    mapped = shared.row.event == "write"
    return Cause(
        code="process-timing",
        detail=held,
        file=file,
        line=line,
        evidence=f"{held} is "
        + (
            "mapped so that it may be written to, and was so when the loader forked its "
            f"{shared.row.amount} workers: what one of them writes there the others read."
            if mapped
            else f"a file that was open when the loader forked its {shared.row.amount} workers, so "
            "that all of them share one position in it: where one reads may be where another has "
            "just gone."
        )
        + " The dataset holds no lock beside it, and data differ.",
        fix=_MAPPED if mapped else _OPEN.format(name or "stream"),
        confidence="likely",
    )


def _is_used(pair: LedgerPair, evidence: Evidence) -> bool:
    """Whether the dataset is seen, in its source, to go by the position of a file, or to write."""
    if pair.row.source != "shared-file" or pair.place is None:
        return False
    kind, _, name = pair.row.detail.partition(".")
    uses = writes_into if pair.row.event == "write" else reads_at_its_position
    return any(uses(file, kind, name) for file in evidence.sources)


def _stored(file: str, kind: str, name: str) -> tuple[int, ...]:
    line = line_that_stores(file, kind, name)
    return () if line is None else (line,)
