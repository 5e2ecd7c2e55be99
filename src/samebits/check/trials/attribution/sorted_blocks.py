"""Blocks of shared memory that are put in the order of names that the system draws."""

from __future__ import annotations

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.diff.verdict import Cause
from samebits.check.trials.attribution.culprit_in_ledger import comes_after
from samebits.check.trials.attribution.wording import shown_place
from samebits.core.source.named_blocks import sorts_blocks_by_name

_MAKING = "multiprocessing.shared_memory."
_FIX = (
    "Shared memory that is made without a name is given one at random. Take the blocks in the "
    "order in which they were made, such as that of a list or of the keys of a dict, without "
    "sorting them, or sort by a number of your own that is kept beside each."
)


def order_of_blocks(evidence: Evidence) -> Cause | None:
    """The line that sorts blocks by their names, where data differ.

    Args:
        evidence: What both runs have noted up to where they diverge.

    Returns:
        None where something was drawn without a seed or seeded otherwise, and where no file that
        makes such blocks sorts their names.
    """
    found = evidence.found
    reads = found.data or found.kind == "inserted"
    if not reads or found.process or evidence.unseeded or evidence.other_seeds:
        return None
    for entry in evidence.of("urandom", "secrets"):
        if entry.place is None or not entry.row.detail.startswith(_MAKING):
            continue
        file, made = entry.place
        line = sorts_blocks_by_name(file)
        if line is not None and not comes_after(Culprit(file=file, line=line), found):
            return Cause(
                code="entropy",
                detail="shared memory",
                file=file,
                line=line,
                evidence="The names of blocks of shared memory are sorted here. They were made at "
                f"{shown_place(file, made)} without a name, and each gets another one in each run.",
                fix=_FIX,
                confidence="likely",
            )
    return None
